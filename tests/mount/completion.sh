# Completion for bash and zsh: it offers what --help says, which is what the pages say.
. tests/mount/lib.sh
of_page() { sed 's/\\-/-/g' "$1" | awk '/^\.It Fl / { for (i = 3; i <= NF; i++) if ($i ~ /^-?[A-Za-z]/ && ($(i - 1) == "Fl" || $(i - 1) == ",") && $i != "Fl") print "-" $i }' | LC_ALL=C sort -u; }
. tools/completion/widefsctl.bash
# offers WORD...: what the completion of the last word is.
offers() {
	COMP_WORDS=("$CTL" "$@") COMP_CWORD=$#
	COMPREPLY=()
	_widefsctl
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u
}
all=$(awk '/^\.It Cm/ { print $3 }' tools/widefsctl.1 | LC_ALL=C sort)
is 'bash: the commands' "$all" "$(offers '' | grep -v '^-')"
is 'commands that begin so' "$(grep ^st <<<"$all")" "$(offers st)"
for command in $all; do
	is "bash: the options of $command" "$(of_page "tools/widefsctl-$command.1")" "$(offers "$command" -)"
	is "each has an example, or stands by itself: $command" '' "$(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "tools/widefsctl-$command.1" | grep -q "widefsctl $command" || echo none)"
done
is 'values of --progress' $'always\nauto\njson\nnever' "$(offers check --progress = '')"
is 'values of --color' $'always\nauto\nnever' "$(offers status --color = '')"
is 'values of --format' $'csv\nndjson' "$(offers import --format '')"
is 'nothing else where a file is wanted' '' "$(offers check '')"
ok 'the completion is registered' eval 'complete -p widefsctl | grep -q _widefsctl'
"$CTL" load "$S" 2>/dev/null <<'C'
CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE k.one (a int PRIMARY KEY);
CREATE TABLE k.two (a int PRIMARY KEY);
C
is 'tables of a store' "$S/k/one"$'\n'"$S/k/two" "$(offers stats "$S/k/")"
is 'one of them' "$S/k/two" "$(offers stats "$S/k/tw")"
COMP_WORDS=("$WIDEFS" --l) COMP_CWORD=1
_widefs
is 'of widefs' $'--log-file\n--log-format\n--log-level' "$(printf '%s\n' "${COMPREPLY[@]}" | sort)"
zsh=$(command -v zsh) || fail 'there is no zsh (make check installs it)'
inside() { "$zsh" -f -c ". tools/completion/_widefsctl; $1"; }
is 'zsh: the commands' "$all" "$(inside "_widefsctl_commands '$CTL'" | cut -d: -f1 | LC_ALL=C sort)"
is 'with what they do' "$("$CTL" --help | sed -n 's/^  check  *//p')" "$(inside "_widefsctl_commands '$CTL'" | sed -n 's/^check://p')"
for command in $all; do
	is "zsh: the options of $command" "$(of_page "tools/widefsctl-$command.1")" "$(inside "_widefsctl_options '$CTL' $command" | LC_ALL=C sort -u)"
done
ok 'zsh finds it to be a completion' grep -qx '#compdef widefsctl' tools/completion/_widefsctl
# Unknown commands and options: the nearest is named.
mean() { is "$1" "$2" "$("$CTL" "${@:3}" 2>&1 >/dev/null </dev/null | grep -oE 'did you mean [^?]*')"; }
mean 'a letter too many' 'did you mean check' chekc
mean 'the begin of one' 'did you mean compact' comp
mean 'an option' 'did you mean --histograms' stats --histogram-s
mean 'with a value' 'did you mean --format' import --fromat=csv a b
mean 'nothing like it' '' stats --xyzzyplugh
mean 'no command like it' '' xyzzyplugh
# Keyspaces and tables, of a mount and of its store.
start
run_cql <<'C'
CREATE KEYSPACE sales WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE KEYSPACE "None" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
CREATE TABLE sales.orders (id int PRIMARY KEY, v text);
CREATE TABLE sales."Items" (id int PRIMARY KEY, v text);
C
names_of() {	# names_of PLACE
	local c file
	for c in export import stats schema flush compact scrub; do
		[ $c = import ] && file=(-) || file=()
		mean "$c: a table" 'did you mean orders' $c "$1/sales/ordres" "${file[@]}"
		mean "$c: the begin of one" 'did you mean Items' $c "$1/sales/It" "${file[@]}"
		mean "$c: a keyspace" 'did you mean sales' $c "$1/salse/orders" "${file[@]}"
		mean "$c: nothing like it" '' $c "$1/sales/xyzzy" "${file[@]}"
	done
	mean 'schema: a table by its name' 'did you mean orders' schema "$1" sales.oders
	mean 'schema: a keyspace by its name' 'did you mean None' schema "$1" Nine
	mean 'dump: a keyspace' 'did you mean sales' dump -k sale "$1"
	mean 'dump: nothing like it' '' dump -k xyzzy "$1"
}
names_of "$M"
stop
names_of "$S"
done_testing
