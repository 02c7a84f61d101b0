# Editors with their defaults (swap files, backups, replacing by rename): what is stored afterwards, that nothing
# is left over, and what they say of a value that is refused.
. tests/mount/lib.sh
start
run_cql <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
USE k;
CREATE TABLE t (id int, c text, a int, b text, bl blob, tags set<text>, m map<text, int>, PRIMARY KEY (id, c));
INSERT INTO t (id, c, a, b, bl, m) VALUES (1, 'x', 5, 'text', 0x00ff0a, {'one': 1});
C
mkdir "$M/k/notes" "$M/k/notes/alice"
printf 'buy milk\n' >"$M/k/notes/alice/todo"
export HOME=$W/home TERM=xterm
mkdir "$HOME"
x=$M/k/t/1/x b=$M/k/t/1/x/b a=$M/k/t/1/x/a todo=$M/k/notes/alice/todo json=$M/.json/k/t/1/x.json
bytes() { is "$1" "$2" "$(cat "$3")"; }
exits() { timeout 60 "$@" >"$W/out" 2>"$W/err" </dev/null; echo $?; }
# typed KEYS COMMAND...: in a terminal.
typed() { timeout 90 python3 tests/mount/typed.py "$@"; }
clean() { is "$1: nothing is left over" $'a\nb\nbl\nm' "$(ls -A "$x")"; is "$1: nor in a schemaless partition" todo "$(ls -A "$M/k/notes/alice")"; }

# sed -i and those that replace a file as it does.
ok 'sed -i' sed -i s/text/TEXT/ "$b"
bytes 'did it' TEXT "$b"
ok 'sed -i of a number' sed -i s/5/55/ "$a"
bytes 'did it' 55 "$a"
ok 'sed -i.bak' sed -i.bak s/TEXT/text/ "$b"
bytes 'its backup' TEXT "$b.bak"
ok 'sed --in-place of several' sed -i 's/5$/6/' "$a" "$b"
bytes 'did it' 56 "$a"
rm "$b.bak"
refused 'sed -i to what is no number' 'Invalid argument' sed -i s/56/many/ "$a"
bytes 'keeps the old value' 56 "$a"
ok 'sed -i of a schemaless row' sed -i s/milk/bread/ "$todo"
bytes 'did it' 'buy bread' "$todo"
ok 'sed -i of a document' sed -i 's/"a": 56/"a": 57/' "$x.json"
bytes 'did it' 57 "$a"
ok 'sed -i below .json' sed -i 's/"a": 57/"a": 58/' "$json"
bytes 'did it' 58 "$a"
ok 'perl -i' perl -pi -e 's/text/perl/' "$b"
bytes 'did it' perl "$b"
ok 'perl -i.orig' perl -pi.orig -e 's/perl/pearl/' "$b"
bytes 'its backup' perl "$b.orig"
rm "$b.orig"
ok 'sponge' sh -c "sed s/pearl/sponge/ '$b' | sponge '$b'"
bytes 'did it' sponge "$b"
ok 'sponge -a' sh -c "echo more | sponge -a '$b'"
bytes 'did it' $'sponge\nmore' "$b"
ok 'jq and sponge on a document' sh -c "jq '.a = 60' '$x.json' | sponge '$x.json'"
bytes 'did it' 60 "$a"
refused 'sponge of no number' 'Invalid argument' sh -c "echo none | sponge '$a'"
bytes 'keeps the old value' 60 "$a"
ok 'ed' ed -s "$b" <<<$'1s/sponge/ed/\n$d\nw\nq'
bytes 'did it' ed "$b"
ok 'ex' vim.tiny -es -c '%s/ed/ex/' -c wq "$b"
bytes 'did it' ex "$b"
printf 'ex\n' >"$W/one"; printf 'patch\n' >"$W/two"
diff -u "$W/one" "$W/two" >"$W/diff"
ok 'patch -b' patch -s -b "$b" "$W/diff"
bytes 'did it' patch "$b"
bytes 'its backup' ex "$b.orig"
rm "$b.orig"
refused 'patch that does not fit' 'FAILED' patch -s -r - "$b" "$W/diff" -f --no-backup-if-mismatch
clean 'filters'

# The files beside a file that editors make by their defaults, also when they are killed.
for name in .b.swp b~ '#b#' .#b 4913 b.save b.save.1 .b.kate-swp '.~lock.b#'; do
	ok "a file $name" put "$x/$name" beside
	bytes "$name is read" beside "$x/$name"
	ok "$name leaves" rm "$x/$name"
done
refused 'a name that is near to these is none' 'Invalid argument' put "$x/b.saved" beside
ok 'a key of a map with such a name is an element' put "$x/m/k.save" 7
is 'and stored' '{"k.save": 7, "one": 1}' "$(cat "$x/m.json")"
rm "$x/m/k.save"
clean 'names beside a file'

# vim: a swap file beside the file, a test file 4913, the old file moved to NAME~.
ok 'vim' vim.tiny -u NONE -es -c 's/patch/vim/' -c wq "$b"
bytes 'did it' vim "$b"
clean 'vim'
for options in 'set backup' 'set backup backupcopy=yes' 'set backup backupcopy=no' 'set nobackup writebackup backupcopy=no' 'set nowritebackup' 'set undofile undodir=.' 'set swapfile updatecount=1'; do
	ok "vim, $options" timeout 60 vim.tiny -u NONE -N -es -c "$options" -c 's/$/+/' -c wq "$b"
	rm -f "$b~" "$x"/.b.un~
	ok "vim, $options, of a number" timeout 60 vim.tiny -u NONE -N -es -c "$options" -c 's/^.*$/61/' -c wq "$a"
	rm -f "$a~" "$x"/.a.un~
done
bytes 'each did it' 'vim+++++++' "$b"
bytes 'the number too' 61 "$a"
is 'vim of a value that is refused' 2 "$(exits vim.tiny -u NONE -N -es -c 's/^.*$/many/' -c wq -c cq "$a")"
bytes 'keeps the old one' 61 "$a"
ok 'vim in a terminal' typed ':s/vim/keys/\r|:wq\r' vim.tiny -u NONE -N "$b"
bytes 'did it' 'keys+++++++' "$b"
clean 'vim in a terminal'
ok 'vim of a schemaless row' typed 'Gofrom vim\x1b|:wq\r' vim.tiny -u NONE -N "$todo"
bytes 'did it' $'buy bread\nfrom vim' "$todo"
ok 'vim of a row below .json' typed ':s/61/62/\r|:wq\r' vim.tiny -u NONE -N "$json"
bytes 'did it' 62 "$a"
is 'vim below .json leaves nothing' x.json "$(ls -A "$M/.json/k/t/1")"
is 'vim of a new cell that is no JSON says so' 1 "$(typed 'iseven\x1b|:w\r|\r|:q!\r' vim.tiny -u NONE -N "$x/tags.json" | grep -c 'Write error')"
ok 'vim makes a text' sh -c "mkdir '$M/k/t/1/y' && vim.tiny -u NONE -N -es -c 'normal inew' -c wq '$M/k/t/1/y/b'"
bytes 'did it' new "$M/k/t/1/y/b"
rm -r "$M/k/t/1/y"
clean 'vim'

# nano: with and without its backup.
ok 'nano' typed 'nano \x0f|\r|\x18' nano -I "$b"
bytes 'did it' 'nano keys+++++++' "$b"
ok 'nano -B' typed 'twice \x0f|\r|\x18' nano -I -B "$b"
bytes 'did it' 'twice nano keys+++++++' "$b"
bytes 'its backup' 'nano keys+++++++' "$b~"
rm "$b~"
ok 'nano -G, with a lock file' typed 'thrice \x0f|\r|\x18' nano -I -G "$b"
bytes 'did it' 'thrice twice nano keys+++++++' "$b"
is 'nano of a value that is refused says why' 1 "$(typed 'many\x0f|\r|\x18|n' nano -I "$a" | grep -ac 'Invalid argument')"
bytes 'keeps the old one' 62 "$a"
ok 'nano below .json' typed '\x1c|62\r|63\r|a|\x0f|\r|\x18' nano -I "$json"
bytes 'did it' 63 "$a"
clean 'nano'

# emacs: a lock that is a symbolic link or a file, #auto-save#, NAME~.
lisp() { printf '(progn (setq backup-enable-predicate (lambda (name) t)) (find-file "%s") (goto-char (point-min)) %s (save-buffer))' "$1" "$2"; }
ok 'emacs --batch' emacs --batch -Q --eval "$(lisp "$b" '(insert "emacs ")')"
bytes 'did it' 'emacs thrice twice nano keys+++++++' "$b"
bytes 'its backup' 'thrice twice nano keys+++++++' "$b~"
rm "$b~"
ok 'emacs, a backup by copying' emacs --batch -Q --eval "(progn (setq backup-by-copying t) $(lisp "$b" '(insert "copied ")'))"
ok 'emacs, numbered backups' emacs --batch -Q --eval "(progn (setq version-control t) $(lisp "$b" '(insert "numbered ")'))"
bytes 'did it' 'numbered copied emacs thrice twice nano keys+++++++' "$b"
is 'numbered: its backup' 'copied emacs thrice twice nano keys+++++++' "$(cat "$b.~1~")"
rm -f "$b"~ "$b".~*~
ok 'emacs, auto-save' emacs --batch -Q --eval "(progn (auto-save-mode 1) (find-file \"$b\") (auto-save-mode 1) (insert \"saved \") (do-auto-save) (save-buffer))"
rm -f "$b~"
# With the debugger of --batch an error would end emacs before it takes its backup back.
is 'emacs of a value that is refused says so' 1 "$(emacs --batch -Q --eval "(condition-case err $(lisp "$a" '(insert "many")') (error (message \"%S\" err)))" 2>&1 | grep -c 'Invalid argument')"
bytes 'puts the old one back' 63 "$a"
ok 'emacs of a schemaless row' emacs --batch -Q --eval "$(lisp "$todo" '(insert "emacs ")')"
bytes 'did it' $'emacs buy bread\nfrom vim' "$todo"
rm -f "$todo~"
ok 'emacs below .json' emacs --batch -Q --eval "$(lisp "$json" '(search-forward "63") (replace-match "64")')"
bytes 'did it' 64 "$a"
rm -f "$json~"
clean 'emacs'

done_testing
