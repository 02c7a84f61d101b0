# Completion of widefsctl and widefs for bash. Commands and options are those of
# --help, so they are always those of the program.

# The commands; the options of a command, one a line.
_widefsctl_commands() { "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'; }
_widefsctl_options() { "$@" --help 2>/dev/null | sed -n 's/^ *\(-[^ ].*\)/\1/p' | sed 's/  .*//' | tr ',' '\n' | sed 's/^ *//; s/[= ].*//' | grep '^-'; }

# _widefsctl_choose WORDS CUR: those of the lines that begin with CUR. Nothing in
# them is expanded.
_widefsctl_choose() {
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		[[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$word")
	done <<<"$1"
	return 0
}

# The tables of a store that is not mounted: they are no paths.
_widefsctl_tables() {
	local store=$2 table
	while [[ $store == */* && ! -e $store/WIDEFS ]]; do store=${store%/*}; done
	[ -e "$store/WIDEFS" ] || return
	"$1" schema "$store" 2>/dev/null | sed -n 's/^CREATE TABLE \([^ ]*\) .*/\1/p' | tr . / | while read -r table; do printf '%s/%s\n' "$store" "$table"; done
}

_widefsctl() {
	local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
	[ "$prev" = '=' ] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	[ "$cur" = '=' ] && { prev=${COMP_WORDS[COMP_CWORD - 1]} cur=; }
	if [ "$COMP_CWORD" = 1 ]; then
		words=$(_widefsctl_commands "$program")$'\n--help\n--version'
	else
		case $prev in
		--progress) words=$'auto\nalways\nnever\njson' ;;
		--color) words=$'auto\nalways\nnever' ;;
		--format) words=$'csv\nndjson' ;;
		--mode) words=$'table\ncsv\njson\nline' ;;
		esac
	fi
	if [ -z "$words" ] && [[ $cur == -* ]]; then
		words=$(_widefsctl_options "$program" "${COMP_WORDS[1]}")
	fi
	if [ -z "$words" ] && [[ $cur == */* ]]; then
		words=$(_widefsctl_tables "$program" "$cur")
	fi
	_widefsctl_choose "$words" "$cur"
}
complete -o bashdefault -o default -F _widefsctl widefsctl

_widefs() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	[[ $cur == -* ]] && _widefsctl_choose "$(_widefsctl_options "${COMP_WORDS[0]}")" "$cur"
	return 0
}
complete -o bashdefault -o default -F _widefs widefs mount.widefs mount.fuse.widefs
