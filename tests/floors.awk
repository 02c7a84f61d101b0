# What goes up a floor: includes, read in the files of C, and symbols that an object needs, read in
# the output of nm -A (a file that ends in .nm). tests/floors names what may be used. A symbol that
# no other file uses is refused too, unless tests/floors exports it for tests alone.
FILENAME == ARGV[1] {
	sub(/#.*/, "")
	if ($1 == "!") { sub(/:$/, "", $2); for (i = 3; i <= NF; i++) tests[$i] = $2; next }
	list = ""
	for (i = $2 == "=" ? 3 : 2; i <= NF; i++) list = list " " (($i in lists) ? lists[$i] : $i)
	if ($2 == "=") lists[$1] = list
	else if (sub(/:$/, "", $1)) { known[$1] = 1; n = split(list, f, " "); for (i = 1; i <= n; i++) may[$1, f[i]] = 1 }
	next
}
function folder(file) { sub(/\/[^\/]*$/, "", file); return file ~ /^tests/ ? "tests" : file }
# A file uses what another has (a header, a symbol of it).
function use(file, at, other, what,  here, there) {
	here = folder(file); there = folder(other)
	if ((here in known) && (there == here || ((here, there) in may))) return
	print at ": " here " may not use " what (what == other ? "" : " of " other); bad = 1
}
FILENAME ~ /\.nm$/ {	# FILE.o:VALUE TYPE NAME, FILE.o: U NAME
	file = $1; sub(/\.o:.*/, ".c", file)
	if ($(NF - 1) == "U") { needs[++needed] = $NF; by[needed] = file }
	else home[$NF] = file
	next
}
/^#include "/ && FILENAME !~ /^tests/ { split($0, part, "\""); seen++; use(FILENAME, FILENAME ":" FNR, part[2], part[2]) }
END {
	for (i = 1; i <= needed; i++)
		if (needs[i] in home) { calls++; used[needs[i]] = 1; use(by[i], by[i], home[needs[i]], needs[i]) }
	for (s in home) if (!(s in used) && !(s in tests) && s != "main") { print home[s] ": no other file uses " s; bad = 1 }
	for (s in tests) if (s in used || home[s] != tests[s]) { print "tests/floors: " tests[s] " has no " s " for tests alone"; bad = 1 }
	if (!seen || !calls) { print "floors: no include or no symbol was read"; bad = 1 }
	exit bad
}
