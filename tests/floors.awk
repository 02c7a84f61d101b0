# Every #include "folder/file.h" must go to the folder itself or to a floor that tests/floors names
# for it, or be one of the exceptions there. An exception that no include needs is refused too.
FILENAME == ARGV[1] {
	sub(/#.*/, "")
	if ($1 == "!") { sub(/:$/, "", $2); for (i = 3; i <= NF; i++) open[$2, $i] = 1; next }
	list = ""
	for (i = $2 == "=" ? 3 : 2; i <= NF; i++) list = list " " (($i in lists) ? lists[$i] : $i)
	if ($2 == "=") lists[$1] = list
	else if (sub(/:$/, "", $1)) { known[$1] = 1; n = split(list, f, " "); for (i = 1; i <= n; i++) may[$1, f[i]] = 1 }
	next
}
FNR == 1 { here = FILENAME; sub(/\/[^\/]*$/, "", here); if (here ~ /^tests/) here = "tests" }
/^#include "/ && here != "tests" {
	split($0, part, "\""); there = part[2]; sub(/\/[^\/]*$/, "", there); seen++
	if ((here in known) && (there == here || ((here, there) in may))) next
	if ((FILENAME, part[2]) in open) { used[FILENAME, part[2]] = 1; next }
	print FILENAME ":" FNR ": " here " may not include " part[2]; bad = 1
}
END {
	for (e in open) if (!(e in used)) { split(e, part, SUBSEP); print "tests/floors: " part[1] " does not include " part[2]; bad = 1 }
	if (!seen) { print "floors: no include was read"; bad = 1 }
	exit bad
}
