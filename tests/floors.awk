# What goes up a floor: includes, read in the files of C, and symbols that an object needs, read in
# the output of nm -A (a file that ends in .nm). tests/floors names what may be used. A symbol that
# no other file uses is refused too, unless tests/floors exports it for tests alone, and so is a header
# or symbol, of a library too, that others have for themselves.
FILENAME == ARGV[1] {
	sub(/#.*/, "")
	if ($1 == "@") { keep(); next }
	if ($1 == "!") { sub(/:$/, "", $2); for (i = 3; i <= NF; i++) tests[$i] = $2; next }
	list = ""
	for (i = $2 == "=" ? 3 : 2; i <= NF; i++) list = list " " (($i in lists) ? lists[$i] : $i)
	if ($2 == "=") lists[$1] = list
	else if (sub(/:$/, "", $1)) { known[$1] = 1; n = split(list, f, " "); for (i = 1; i <= n; i++) may[$1, f[i]] = 1 }
	next
}
# @ NAMES: FILES, which alone may have them. What ends in * is the beginning of several.
function keep(  part, name, n, i) {
	sub(/^@ /, ""); split($0, part, ": ")
	rules++; rule[rules] = part[1]; files[rules] = part[2]
	n = split(part[1], name, " ")
	for (i = 1; i <= n; i++) { kept[name[i]] = rules; idle[name[i]] = 1 }
	n = split(part[2], name, " ")
	for (i = 1; i <= n; i++) idle[rules, name[i]] = 1
}
function is(name, pattern) { return sub(/\*$/, "", pattern) ? index(name, pattern) == 1 : name == pattern }
# A file has a header or a symbol.
function have(file, at, name,  pattern, owner, n, i, found) {
	if (!(name in looked)) { looked[name] = ""; for (pattern in kept) if (is(name, pattern)) looked[name] = pattern }
	if (looked[name] == "") return
	pattern = looked[name]
	delete idle[pattern]
	n = split(files[kept[pattern]], owner, " ")
	for (i = 1; i <= n; i++) if (is(file, owner[i]) || folder(file) == owner[i]) { found = 1; delete idle[kept[pattern], owner[i]] }
	if (!found) { print at ": " name " is for others alone"; bad = 1 }
}
# The function that a call is written with: the compiler and libc have other names for some.
function written(symbol) {
	if (sub(/^__/, "", symbol)) sub(/_(chk|2)$/, "", symbol)
	return symbol == "getline" ? "getdelim" : symbol
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
	if ($(NF - 1) == "U") { needs[++needed] = $NF; by[needed] = file; have(file, file, written($NF)) }
	else home[$NF] = file
	next
}
/^#include ["<]/ && FILENAME !~ /^tests/ { split($0, part, /["<>]/); have(FILENAME, FILENAME ":" FNR, part[2]) }
/^#include "/ && FILENAME !~ /^tests/ { seen++; use(FILENAME, FILENAME ":" FNR, part[2], part[2]) }
END {
	for (i = 1; i <= needed; i++)
		if (needs[i] in home) { calls++; used[needs[i]] = 1; use(by[i], by[i], home[needs[i]], needs[i]) }
	for (s in home) if (!(s in used) && !(s in tests) && s != "main") { print home[s] ": no other file uses " s; bad = 1 }
	for (s in tests) if (s in used || home[s] != tests[s]) { print "tests/floors: " tests[s] " has no " s " for tests alone"; bad = 1 }
	for (s in idle) {
		n = split(s, part, SUBSEP)
		print "tests/floors: " (n == 1 ? "nothing has " s : part[2] " has none of " rule[part[1]]); bad = 1
	}
	if (!seen || !calls) { print "floors: no include or no symbol was read"; bad = 1 }
	exit bad
}
