"""A service manager: manager.py NAME FILE. It binds the socket of that name, the
abstract one if it begins with @, and adds each line that comes to FILE, with the seconds
since it began, until it is ended."""
import socket, sys, time

name, file = sys.argv[1:]
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind('\0' + name[1:] if name[0] == '@' else name)
begin = time.monotonic()
with open(file, 'w') as out:
    while True:
        for line in server.recv(4096).decode().splitlines():
            print('%.2f' % (time.monotonic() - begin), line, file=out, flush=True)
