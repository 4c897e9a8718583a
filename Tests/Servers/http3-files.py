"""A plain HTTP/3 server of files, by aioquic.

    python3 http3-files.py FOLDER PORT

FOLDER has server.pem, server.key and the folder root that is served on PORT of 127.0.0.1; FOLDER/pid is written when it is. POST answers with
the length of what was sent.
"""

import asyncio
import os
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated


class Files(QuicConnectionProtocol):
    def __init__(self, folder, *arguments, **more):
        super().__init__(*arguments, **more)
        self.root = os.path.join(folder, "root")
        self.http = None
        self.requests = {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        for part in self.http.handle_event(event) if self.http else []:
            if isinstance(part, HeadersReceived):
                self.requests.setdefault(part.stream_id, [dict(part.headers), 0])
            elif isinstance(part, DataReceived):
                self.requests[part.stream_id][1] += len(part.data)
            if isinstance(part, (HeadersReceived, DataReceived)) and part.stream_ended:
                self.answer(part.stream_id, *self.requests.pop(part.stream_id))
        self.transmit()

    def answer(self, stream, headers, length):
        method, path = headers[b":method"], headers[b":path"].decode()
        file = os.path.join(self.root, os.path.basename(path))
        status, content = 404, b"not here"
        if method == b"POST":
            status, content = 200, str(length).encode()
        elif os.path.isfile(file):
            with open(file, "rb") as opened:
                status, content = 200, opened.read()
        fields = [(b":status", str(status).encode()), (b"content-length", str(len(content)).encode())]
        self.http.send_headers(stream, fields, end_stream=method == b"HEAD")
        if method != b"HEAD":
            self.http.send_data(stream, content, end_stream=True)


async def main(folder, port):
    configuration = QuicConfiguration(alpn_protocols=["h3"], is_client=False)
    configuration.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    await serve("127.0.0.1", port, configuration=configuration, create_protocol=lambda *a, **m: Files(folder, *a, **m))
    with open(os.path.join(folder, "pid.new"), "w") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(folder, "pid.new"), os.path.join(folder, "pid"))
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
