# What --help says and what the manual pages say (ecosystem.md section 7).
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
is 'widefsctl has its commands in its page' "$("$CTL" --help | grep -aE '^  [a-z]' | awk '{ print $1 }' | sort)" "$(awk '/^\.It Cm/ { print $3 }' tools/widefsctl.1 | sort)"
for command in $("$CTL" --help | grep -aE '^  [a-z]' | awk '{ print $1 }'); do
	page=tools/widefsctl-$command.1
	ok "$command has a page" test -f "$page"
	is "the options of $command" "$("$CTL" "$command" --help | of_help)" "$(of_page "$page")"
	ok "$command is in SEE ALSO" grep -q "^.Xr widefsctl-$command 1" tools/widefsctl.1
done
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
		ok "$page: there is $other" test -f "mount/$other.1" -o -f "tools/$other.1"
	done
done
ok 'help is quick, and mounts nothing' "$WIDEFS" --version
done_testing
