# The texts of --help and of the manual pages agree.
. tests/mount/lib.sh
# Options at the begin of a line of --help: -e, --execute.
of_help() { grep -aE '^ +-' | sed 's/  *[^ -].*//; s/\(--[a-z-]*\)[= ].*/\1/' | grep -oE -- '--?[A-Za-z][A-Za-z-]*' | sort -u; }
# Options that a page has an item for.
of_page() { sed 's/\\-/-/g' "$1" | awk '/^\.It Fl / { for (i = 3; i <= NF; i++) if ($i ~ /^-?[A-Za-z]/ && ($(i - 1) == "Fl" || $(i - 1) == ",") && $i != "Fl") print "-" $i }' | sort -u; }
is 'widefs' "$("$WIDEFS" --help | sed '/^options/q' | of_help)" "$(of_page mount/widefs.1)"
mounted() { sed -n '/^options/,/^Unmount/p' | grep -aE '^  [a-z]' | sed 's/^  //; s/  .*//; s/, \.\.\.//' | tr ',' '\n' | sed 's/^ *//; s/=.*//' | grep -E '^[a-z_]+$' | sort -u; }
for option in $("$WIDEFS" --help | mounted); do
	ok "the page of widefs has $option" grep -qE "^(\.It )?\.?Cm (.*Cm )?$option( |$)" <(sed 's/^\.It Cm/.Cm/; s/ , Cm /\n.Cm /' mount/widefs.1)
done
# lacks COMMAND PAGE: the options of its --help that no example of the page has.
lacks() {
	local short long examples
	examples=$(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$2")
	"$CTL" "$1" --help | grep -aE '^ +-' | while read -r line; do
		short=$(grep -oE '^-[A-Za-z]' <<<"$line") long=$(grep -oE -- '--[a-z-]+' <<<"$line" | head -1)
		[ "$long" = --help ] || grep -qE -- "(${long:-none}| ${short:-none})([ =]|\$)" <<<"$examples" || echo "$long"
	done
}
is 'widefsctl has its commands in its page' "$("$CTL" --help | grep -aE '^  [a-z]' | awk '{ print $1 }' | sort)" "$(awk '/^\.It Cm/ { print $3 }' tools/widefsctl.1 | sort)"
for command in $("$CTL" --help | grep -aE '^  [a-z]' | awk '{ print $1 }'); do
	page=tools/widefsctl-$command.1
	ok "$command has a page" test -f "$page"
	is "the options of $command" "$("$CTL" "$command" --help | of_help)" "$(of_page "$page")"
	is "each option of $command has an example" '' "$(lacks "$command" "$page")"
	ok "$command is in SEE ALSO" grep -q "^.Xr widefsctl-$command 1" tools/widefsctl.1
	[ "$command" = top ] || ok "$command can be interrupted" grep -qx '.It 130' "$page"
done
# Wrong usage: status 2, and a line that names what is wrong.
wrong() {	# wrong TEXT COMMAND...
	local text=$1 out
	shift
	out=$("$@" 2>&1 </dev/null)
	is "$*: the status" 2 $?
	is "$*: says why" "$text" "$(head -1 <<<"$out")"
}
for command in check umount; do wrong "widefsctl: $command: one $([ $command = check ] && echo STORE || echo DIR) is expected (see widefsctl $command --help)" "$CTL" $command; done
wrong 'widefsctl: b: one PATH is enough (see widefsctl cql --help)' "$CTL" cql a b
wrong 'widefsctl: b: one DIR is enough (see widefsctl errors --help)' "$CTL" errors a b
wrong 'widefsctl: few: not a number of lines (see widefsctl errors --help)' "$CTL" errors -n few
wrong 'widefsctl: soon: not a number of seconds (see widefsctl umount --help)' "$CTL" umount --timeout=soon "$M"
wrong "widefsctl cql: unrecognized option '--nope'" "$CTL" cql --nope
wrong "widefsctl cql: option requires an argument -- 'e'" "$CTL" cql -e
wrong 'widefsctl: chek: no such command (did you mean check?)' "$CTL" chek
wrong 'usage: widefsctl COMMAND [ARGUMENTS]' "$CTL"
wrong 'widefs: threads=0: not a number from 1 to 64' "$WIDEFS" -o threads=0 "$S" "$M"
wrong 'widefs: cache=x: not a size from 1048576 to 1099511627776 (K, M, G and T may follow the number)' "$WIDEFS" -o cache=x "$S" "$M"
is 'help COMMAND' "$("$CTL" cql --help)" "$("$CTL" help cql)"
out=$("$WIDEFS" --log-file="$W/no/log" "$S" "$M" 2>&1)
is 'a log that cannot be written: the status' 1 $?
is 'says why, and nothing is made' "widefs: $W/no/log: No such file or directory (the log file)" "$out$(ls -A "$S" 2>/dev/null)"
mkdir -m 777 "$W/open"; : >"$W/open/WIDEFS"
out=$("$CTL" check "$W/open" 2>&1)
is 'a store where others can write: the status' 1 $?
is 'says why, too' 1 "$(grep -c 'others can write there' <<<"$out")"
# Installed, where a path has blanks, and taken away again.
made() { env -u MAKEFLAGS -u B -u SAN make -s "$@" DESTDIR="$W/a root" PREFIX=/opt/w; }
ok 'make install' made install
is 'the programs run there' "$("$WIDEFS" --version)" "$("$W/a root/opt/w/sbin/mount.widefs" --version)"
is 'with all pages' "$(cd tools && ls ../mount/widefs.1 *.1 | sed 's,.*/,,' | sort)" "$(ls "$W/a root/opt/w/share/man/man1")"
ok 'with the file of options' cmp mount/system/widefs.conf "$W/a root/etc/widefs.conf"
echo '# edited' >>"$W/a root/etc/widefs.conf"
ok 'make install again' made install
ok 'make uninstall' made uninstall
is 'both leave one that was edited' '# edited' "$(tail -1 "$W/a root/etc/widefs.conf")"
cp mount/system/widefs.conf "$W/a root/etc/widefs.conf"
ok 'make uninstall again' made uninstall
is 'leaves nothing' '' "$(find "$W/a root" ! -type d)"
# The pages themselves: what a formatter would trip over.
for page in mount/*.1 tools/*.1; do
	is "$page begins as it has to" '.Dd .Dt .Os' "$(awk '{ print $1 }' "$page" | head -3 | tr '\n' ' ' | sed 's/ $//')"
	is "$page is called what it says" "$(basename "$page" .1 | tr a-z A-Z)" "$(awk '$1 == ".Dt" { print $2 }' "$page")"
	for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		ok "$page has $section" grep -qx ".Sh $section" "$page"
	done
	is "$page: macros that are none" '' "$(awk '/^\./ { print $1 }' "$page" | sort -u | grep -vxE '\.(Dd|Dt|Os|Sh|Ss|Nm|Nd|Op|Fl|Ar|Cm|It|Bl|El|Bd|Ed|Dl|D1|Pp|Pa|Xr|Ev|Sq|Dq|Pq|Ql|Li|Oo|Oc|No|Ns|Em|Sy|Va|\\")')"
	is "$page: lists and displays end" "$(grep -cE '^\.(Bl|Bd)' "$page")" "$(grep -cE '^\.(El|Ed)' "$page")"
	is "$page: no blank lines outside of displays" '' "$(awk '/^\.Bd/ { d = 1 } /^\.Ed/ { d = 0 } !d && /^$/ { print FNR }' "$page")"
	is "$page: no blanks at ends of lines" '' "$(grep -nE '[ 	]$' "$page")"
	for other in $(awk '$1 == ".Xr" && $2 ~ /^widefs/ { print $2 }' "$page" | sort -u); do
		ok "$page: there is $other" bash -c "compgen -G '*/$other.[158]'"
	done
done
# The page of the layout has what a mount has.
start
for file in "$M"/.widefs/*; do
	ok "the page of the layout has ${file##*/}" grep -qE "^\.It Pa .*\.widefs/${file##*/}( |\$)" mount/widefs-layout.5
done
put "$M/.widefs/ctl" nonsense 2>/dev/null
words=$(tail -1 "$M/.widefs/errors" | sed 's/.*ctl takes: //; s/ \[[^,]*//g' | tr -d ',' | tr ' ' '\n')
is 'ctl says what it takes' 8 "$(wc -w <<<"$words")"
ok 'help names the pages, and says how to end' grep -q '^  umount MNT .* man widefs-layout, man widefsctl$' "$M/.widefs/help"
stop
is 'each restore in an example is one that a script can run' '' "$(grep -nE '^(\$ )?widefsctl snapshot restore ' mount/*.[158] tools/*.1 README.md | grep -v -- ' --force ')"
# What ctl takes, as it says itself.
for word in $words; do ok "the layout's ctl takes $word" grep -qx "$word" <<<"$(sed -n '/^\.It Pa .widefs\/ctl$/,/^a line each/p' mount/widefs-layout.5 | grep '^\.Cm' | tr ' ,' '\n\n')"; done
for name in TABLE.ndjson TABLE.csv PART.ndjson PART.csv EOPNOTSUPP ENODATA ENAMETOOLONG; do
	ok "and $name" grep -qE "^\.It (Pa|Er) (.* )?$name( |\$)" mount/widefs-layout.5
done
for page in mount/*.[158] tools/*.1; do
	# Op and Sq enclose the rest of their line.
	is "$page: brackets and quotes around more than a word" '' "$(grep -nE '\b(Op|Sq|Dq|Pq) ([^ ]+) [,:;.] [^ ]' "$page")"
done
ok 'help is quick, and mounts nothing' "$WIDEFS" --version
done_testing
