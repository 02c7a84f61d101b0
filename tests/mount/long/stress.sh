# fio and stress-ng on the files of a schemaless table: what is written is read
# back whole (fio's checksums, stress-ng --verify), and afterwards the daemon
# holds no more descriptors and memory than before. SECONDS_EACH (2) a stressor;
# MEMORY_MB (48): the memory that it may hold more.
#
# Stressors that are not asked, and why: dir makes directories below directories,
# access sets modes (both EPERM there), xattr wants names of its own; fiemap,
# verity, link, symlink, mknod, lease, fallocate, fpunch are not served.
. tests/mount/lib.sh
seconds=${SECONDS_EACH:-2}
for tool in fio stress-ng; do
	command -v $tool >/dev/null || { fail "there is no $tool: make check-long installs it"; done_testing; }
done
start -o cache=32M
mkdir -p "$M/k/free/part"
# Of its own memory: segments of the log are mapped files.
resident() { awk '/^RssAnon/ { print $2 }' "/proc/$(daemon_pid)/status"; }
# Its descriptors but those of sstables, whose number is compaction's.
descriptors() { find "/proc/$(daemon_pid)/fd" -printf '%l\n' | grep -vc '\.sst'; }
stressor() {	# stressor NAME OPTION...
	local out
	out=$(timeout $((seconds * 20 + 60)) stress-ng --"$1" 2 -t "$seconds" --verify --temp-path "$M/k/free" --seed 7 "${@:2}" 2>&1)
	case $? in
	0) pass ;;
	*) fail "stress-ng $1: $(grep -aE 'fail|error|skip' <<<"$out" | head -3)" ;;
	esac
	is "$1 leaves nothing" part "$(names "$M/k/free")"
}
verify() {	# verify ENGINE
	ok "fio, $1" timeout 300 fio --name=verify --directory="$M/k/free/part" --size="${FIO_SIZE:-16M}" --rw=randwrite \
		--bs=4k --verify=crc32c --numjobs=4 --ioengine="$1" --fallocate=none --verify_fatal=1 --do_verify=1 --verify_state_save=0 --randseed=7
	rm -r "$M/k/free/part"
	mkdir "$M/k/free/part"
	put "$M/.widefs/ctl" flush
}
verify psync
stressor dentry
before=$(resident) open=$(descriptors)	# once its buffers are warm
verify io_uring
for name in dirmany fstat getdent open rename seek sync-file touch utime flock lockf lockofd copy-file dup fsize; do
	stressor $name
done
stressor filename --filename-opts posix
# No value is larger than max_value.
stressor hdd --hdd-bytes 16m
stressor iomix --iomix-bytes 16m
put "$M/.widefs/ctl" flush
after=$(resident)
echo "of its own memory: $before kB before the stressors, $after kB after them"
# Memtables are empty, values that were open are gone: there is the cache, and what
# the heaps of the threads keep.
[ "$after" -le $((before + ${MEMORY_MB:-48} * 1024)) ] || fail "the daemon holds $after kB, $before before"
now=$(descriptors)
[ "$now" -le $((open + 1)) ] || fail "$now descriptors are open, $open before"
stop
ok 'the store is sound' "$CTL" check "$S"
done_testing
