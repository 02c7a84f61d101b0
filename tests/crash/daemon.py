"""Helpers that the crash tests share: a daemon that is mounted, killed and mounted again; a count of checks."""
import glob, json, os, signal, subprocess, sys, time

class Daemon:
    def __init__(self, widefs, ctl, work, store, kill_at):
        self.widefs, self.ctl, self.work, self.store, self.kill_at = widefs, ctl, work, store, kill_at
        self.mnt = work + '/mnt'
        self.checks = self.failures = 0

    def fail(self, text):
        self.failures += 1
        print('FAIL:', text, flush=True)

    def check(self, good, text):
        self.checks += 1
        if not good:
            self.fail(text)

    def mount(self, *options, point=None, disk='/', log='', count=''):
        """With a point to die at (kill_at.c): is there a daemon? Without one it must be."""
        env = dict(os.environ)
        if point:
            env.update(LD_PRELOAD=self.kill_at, KILL_AT=point, KILL_AT_DISK=disk, KILL_AT_LOG=log, KILL_AT_COUNT=count)
        done = subprocess.run([self.widefs, f'--log-file={self.work}/log', *options, self.store, self.mnt], env=env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode and not point:
            raise SystemExit(f'FAIL: the mount after a crash: {done.stderr.strip()}; {self.last_message()}')
        return not done.returncode

    def last_message(self):
        with open(self.work + '/log') as f:
            return (f.read().splitlines() or ['no message'])[-1]

    def pids(self):
        """Of the daemon and its guardian. This is asked often, and pgrep reads much more of each process."""
        ending = f'\0{self.store}\0{self.mnt}\0'.encode()
        return [int(pid) for pid in os.listdir('/proc') if pid.isdigit() and command_line(pid).endswith(ending)]

    def kill(self):
        """Was there one yet? It is gone afterwards."""
        pids = self.pids()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.wait_until_gone(pids)
        return bool(pids)

    def wait_until_gone(self, pids):
        """Their files are closed, too: a process has no command line any more before it closes them."""
        for i in range(1200):
            if not any(map(holds_files, pids)) and not self.pids():
                return
            time.sleep(0.05)
        self.fail('the daemon did not end within a minute')

    def clear(self):
        """The dead mount goes, so that nothing is open below."""
        subprocess.run(['umount', '-l', self.mnt], stderr=subprocess.DEVNULL)

    def umount(self):
        pids = self.pids()
        done = subprocess.run([self.ctl, 'umount', self.mnt], capture_output=True, text=True)
        self.check(not done.returncode, f'widefsctl umount: {done.stderr.strip()}')
        self.wait_until_gone(pids)

    def check_store(self):
        done = subprocess.run([self.ctl, 'check', self.store], capture_output=True, text=True)
        self.check(not done.returncode, f'widefsctl check: {done.stdout.strip()} {done.stderr.strip()}')

    def write_file(self, path, text, sync=False):
        """Replace a file of keyspace k, as a shell's > does."""
        fd = os.open(f'{self.mnt}/k/{path}', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, text.encode())
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)

    def control(self, word):
        with open(self.mnt + '/.widefs/ctl', 'w') as f:
            f.write(word + '\n')

    def cql(self, text, sync=False):
        """The rows of its answer; OSError when it is refused."""
        return cql(self.mnt, text, sync)

    def finish(self, text):
        for path in glob.glob(self.work + '/log.sanitizer*'):
            with open(path, errors='replace') as f:
                self.fail('the daemon was reported:\n' + f.read(20000))
        print(text)
        print(f'{self.checks - self.failures} passed, {self.failures} failed')
        sys.exit(1 if self.failures or not self.checks else 0)

def command_line(pid):
    """Of a process that has ended there is none."""
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return f.read()
    except OSError:
        return b''

def holds_files(pid):
    """A process that ended and was not waited for has none; one with a thread left does."""
    try:
        with open(f'/proc/{pid}/stat') as f:
            state = f.read().rpartition(')')[2].split()[0]
        return state not in 'ZX' or len(os.listdir(f'/proc/{pid}/task')) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False

def cql(mnt, text, sync=False):
    fd = os.open(mnt + '/.cql.json', os.O_RDWR)
    try:
        os.write(fd, (text + ';').encode())
        out = b''
        while chunk := os.read(fd, 65536):
            out += chunk
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)
    answer = json.loads(out) if out.strip() else {}
    names = [column['name'] for column in answer.get('columns', [])]
    return [dict(zip(names, row)) for row in answer.get('rows', [])]
