# Every #include "folder/file.h" must go to the folder itself or to a floor below.
FILENAME == ARGV[1] {
	if ($0 !~ /^#/ && split($0, half, ":") == 2) { known[half[1]] = 1; n = split(half[2], f, " "); for (i = 1; i <= n; i++) may[half[1], f[i]] = 1 }
	next
}
FNR == 1 { here = FILENAME; sub(/\/[^\/]*$/, "", here); if (here ~ /^tests/) here = "tests" }
/^#include "/ && here != "tests" {
	split($0, part, "\""); there = part[2]; sub(/\/[^\/]*$/, "", there); seen++
	if (!(here in known) || (there != here && !((here, there) in may))) { print FILENAME ":" FNR ": " here " may not include " part[2]; bad = 1 }
}
END { if (!seen) { print "floors: no include was read"; bad = 1 } exit bad }
