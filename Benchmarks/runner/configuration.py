"""nginx's configuration: which addresses there are for which scenarios."""

# What a template of `str.format` needs: braces of nginx's are doubled.
TEMPLATE = """
worker_processes 1;
daemon off;
pid {root}/nginx.pid;
error_log {root}/error.log;
{user}
events {{ worker_connections 4096; }}
http {{
  access_log off;
  log_format resumption $ssl_session_reused;
  sendfile on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  open_file_cache max=16 inactive=1h;
  client_body_temp_path {memory}/body;
  client_max_body_size 0;
  client_body_buffer_size 1m;
  proxy_temp_path {root}/proxy;
  fastcgi_temp_path {root}/fastcgi;
  uwsgi_temp_path {root}/uwsgi;
  scgi_temp_path {root}/scgi;
  root {root}/documents;
  ssl_certificate {root}/certificate.pem;
  ssl_certificate_key {root}/key.pem;
  ssl_protocols TLSv1.3;
  # One cipher for all, so that the table compares clients and not the order in which they offer ciphers.
  ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
  server {{
    listen 127.0.0.1:{plain};
    listen 127.0.0.1:{tls} ssl;
    listen 127.0.0.1:{http2} ssl http2;
    http2_max_concurrent_streams 1100;
    location = /unstored {{ add_header Cache-Control no-store; }}
    location = /fresh {{ add_header Cache-Control max-age=86400; }}
    location = /revalidated {{ add_header Cache-Control no-cache; }}
    location = /echo {{
      proxy_pass http://127.0.0.1:{echo};
      proxy_http_version 1.1;
      proxy_set_header Upgrade websocket;
      proxy_set_header Connection Upgrade;
      proxy_read_timeout 1h;
    }}
    # Nothing accepts this port's connections while a client is measured.
    location = /stall {{
      proxy_pass http://127.0.0.1:{stalling};
      proxy_read_timeout 1h;
    }}
    location /upload/ {{ root {memory}; dav_methods PUT; }}
  }}
  # Each connection ends with its reply.
  server {{
    listen 127.0.0.1:{cold};
    keepalive_timeout 0;
  }}
  server {{
    listen 127.0.0.1:{cold_tls} ssl;
    keepalive_timeout 0;
    ssl_session_tickets off;
    ssl_session_cache off;
    access_log {root}/resumption.log resumption;
  }}
  server {{
    listen 127.0.0.1:{cold_ticket} ssl;
    keepalive_timeout 0;
    access_log {root}/resumption.log resumption;
  }}
  # What an app talks to: many hosts.
  server {{
{mixed_listens}
    location = /unstored {{
      add_header Cache-Control no-store;
      add_header Set-Cookie "visit=$msec; Path=/; Max-Age=3600";
    }}
    location = /fresh {{ add_header Cache-Control max-age=86400; }}
    location = /revalidated {{ add_header Cache-Control no-cache; }}
    location = /moved {{ return 302 /unstored; }}
  }}
}}
"""
# The hosts of `mixed`: 127.0.0.2 and so many that follow.
MIXED_HOSTS = 50
PORTS = ("plain", "tls", "http2", "http3", "cold", "cold_tls", "cold_ticket", "mixed")


def configuration(ports: dict[str, int], **values: object) -> str:
    """The whole file's text."""
    listens = "\n".join(f"    listen 127.0.0.{index + 2}:{ports['mixed']};" for index in range(MIXED_HOSTS))
    return TEMPLATE.format(mixed_listens=listens, **ports, **values)
