"""Serves NetBox on a free port of 127.0.0.1, which it prints, until its standard input ends: so with the test, however it ends."""
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from netbox.wsgi import application


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):

    def address_string(self):
        return self.client_address[0]


server = make_server('127.0.0.1', 0, application, Server, Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
