# Exported names that do not tell their file, and names that two structs have. An exported name is or begins
# with: the file's name or words of it that follow one another; the name of its folder, or of one above that
# is not the first; a struct of its header; a word that tests/names lists. One more or less "s" does not count.
# Read are tests/names, the headers and sources, and the output of nm -A (a file that ends in .nm).
FILENAME == ARGV[1] {
	sub(/#.*/, "")
	if (sub(/:$/, "", $1)) for (i = 2; i <= NF; i++) { listed[$1] = listed[$1] " " $i; unused[$1, $i] = 1 }
	next
}
function begins(name, stem) {
	if (name == stem || index(name, stem "_") == 1 || index(name, stem "s_") == 1) return 1
	return sub(/s$/, "", stem) && index(name, stem "_") == 1
}
function any(name, list,  n, i, stem) {
	n = split(list, stem, " ")
	for (i = 1; i <= n; i++) if (begins(name, stem[i])) return found = stem[i]
	return ""
}
function tells(name, file,  base, n, i, j, word, stem, list) {
	base = file
	sub(/^.*\//, "", base)
	n = split(base, word, "_")
	for (i = 1; i <= n; i++)
		for (j = i; j <= n; j++) list = list " " (stem = i == j ? word[j] : stem "_" word[j])
	n = split(file, word, "/")
	for (i = n > 2 ? 2 : 1; i < n; i++) list = list " " word[i]
	return any(name, list tags[file]) != ""
}
FILENAME ~ /\.nm$/ {	# FILE.o:VALUE TYPE NAME
	file = $1; sub(/\.o:.*/, "", file)
	folder = file; sub(/\/[^\/]*$/, "", folder)
	name = $NF
	checked++
	if (name == "main" || tells(name, file)) next
	if (any(name, listed[file ".c"])) delete unused[file ".c", found]
	else if (any(name, listed[folder])) delete unused[folder, found]
	else { print file ".c: no word of it begins " name; bad = 1 }
	next
}
match($0, /^[ \t]*((typedef|static|const) )*(struct|union|enum) [a-z0-9_]+ \{/) {
	tag = substr($0, RSTART, RLENGTH - 2)
	sub(/^.* /, "", tag)
	if (tag in home && home[tag] != FILENAME) { print FILENAME ": struct " tag " is one of " home[tag] ", too"; bad = 1 }
	home[tag] = FILENAME
	file = FILENAME
	if (sub(/\.h$/, "", file)) tags[file] = tags[file] " " tag
	structs++
}
END {
	for (s in unused) { split(s, part, SUBSEP); print "tests/names: no name of " part[1] " needs " part[2]; bad = 1 }
	if (!checked || !structs) { print "names: no symbol or no struct was read"; bad = 1 }
	exit bad
}
