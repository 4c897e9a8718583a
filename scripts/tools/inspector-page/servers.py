"""What the archives are compared over: nginx with and without TLS, an echo of WebSockets, and a server that never answers."""

import base64
import hashlib
import os
import re
import shutil
import socket
import subprocess
import threading
import time

CONFIGURATION = """
daemon off; pid {folder}/pid; error_log {folder}/errors.log;
events {{ }}
http {{
  access_log off; default_type text/plain; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  root {folder}/documents;
  server {{
    listen 127.0.0.1:{plain};
    location /redirected {{ return 302 /text; }}
    location /fresh {{ add_header Cache-Control "max-age=600"; }}
    location /checked {{ add_header Cache-Control "no-cache"; }}
    location /packed {{ gzip on; gzip_types *; gzip_min_length 1; }}
    # A proxy reads the request's body before it answers.
    location /posted {{ proxy_pass http://127.0.0.1:{plain}/taken; }}
    location /uploaded {{ proxy_pass http://127.0.0.1:{plain}/kept; }}
    location /taken {{ return 200 "taken"; }}
    location /kept {{ return 201 "kept"; }}
    location /held {{ proxy_pass http://127.0.0.1:{held}; }}
    location /echo {{
      proxy_pass http://127.0.0.1:{echo}; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
    }}
    location /page {{ types {{ }} default_type text/html; }}
  }}
  server {{
    listen 127.0.0.1:{http2} ssl http2;
    ssl_certificate {folder}/trusted.pem; ssl_certificate_key {folder}/trusted.key;
    location /page {{ types {{ }} default_type text/html; }}
  }}
  server {{ listen 127.0.0.1:{untrusted} ssl; ssl_certificate {folder}/other.pem; ssl_certificate_key {folder}/other.key; }}
}}
"""


def echo(listener):
    """Serves one WebSocket that sends every text back."""
    (connection, _) = listener.accept()
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    key = re.search(rb"sec-websocket-key: *(\S+)", head, re.IGNORECASE).group(1)
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                       + accept + b"\r\n\r\n")
    file = connection.makefile("rb")
    while len(frame := file.read(2)) == 2:
        (mask, payload) = (file.read(4), file.read(frame[1] & 0x7F))
        plain = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        connection.sendall(bytes([frame[0], len(plain)]) + plain)
        if frame[0] & 0x0F == 8:
            break
    connection.close()


class Servers:
    """Of a folder that is the caller's. A context manager: the processes it starts are gone when the block is left."""

    def __init__(self, folder):
        self.folder = folder
        listeners = {name: socket.create_server(("127.0.0.1", 0)) for name in ["echo", "held", "plain", "http2", "untrusted"]}
        self.ports = {name: listener.getsockname()[1] for name, listener in listeners.items()}
        (self.echoing, self.holding) = (listeners.pop("echo"), listeners.pop("held"))
        for listener in listeners.values():
            listener.close()
        # How many requests have come that aren't answered.
        self.held = threading.Semaphore(0)

    def __enter__(self):
        # nginx's workers may be another user.
        os.chmod(self.folder, 0o755)
        os.makedirs(f"{self.folder}/documents")
        for name in ["text", "fresh", "checked", "packed", "page"] + [f"part{number}" for number in range(6)]:
            with open(f"{self.folder}/documents/{name}", "w") as file:
                file.write("<p>A page</p>" if name == "page" else f"{name} " * 200)
        for name in ["trusted", "other"]:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                            "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{self.folder}/{name}.key",
                            "-out", f"{self.folder}/{name}.pem"], check=True, stderr=subprocess.DEVNULL)
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(CONFIGURATION.format(folder=self.folder, **self.ports))
        threading.Thread(target=self._echo, daemon=True).start()
        threading.Thread(target=self._hold, daemon=True).start()
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        self.process = subprocess.Popen([nginx, "-c", f"{self.folder}/nginx.conf", "-p", self.folder], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.ports["plain"])).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def _echo(self):
        while True:
            echo(self.echoing)

    def _hold(self):
        self.open = []
        while True:
            self.open.append(self.holding.accept()[0])
            self.held.release()

    def url(self, path, server="plain"):
        return f"{'http' if server == 'plain' else 'https'}://127.0.0.1:{self.ports[server]}/{path}"

    @property
    def key_hash(self):
        """What Chromium knows the trusted certificate by."""
        key = subprocess.run(["openssl", "x509", "-in", f"{self.folder}/trusted.pem", "-pubkey", "-noout"], check=True, capture_output=True)
        data = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=key.stdout, check=True, capture_output=True).stdout
        return base64.b64encode(hashlib.sha256(data).digest()).decode()
