/// Advice on options of curl, wget, httpie and the like that this tool doesn't have. Pure.
enum ForeignOptions {
  /// One line of advice on an option, given as it was written; nil if none is known.
  static func explanation(_ option: String) -> String? {
    let name = option.hasPrefix("--") ? String(option.dropFirst(2)) : letters[option] ?? ""
    let plain = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
    for (names, text) in texts where names.contains(name) || names.contains(plain) {
      return "\(option)\(option.hasPrefix("--") ? "" : " (--\(name))"): \(text)."
    }
    return nil
  }

  /// curl's letters for options that this tool doesn't have.
  private static let letters: [String: String] = [
    "-a": "append", "-0": "http1.0", "-j": "junk-session-cookies", "-l": "list-only", "-M": "manual", "-:": "next", "-p": "proxytunnel",
    "-Q": "quote", "-Y": "speed-limit", "-y": "speed-time", "-2": "sslv2", "-3": "sslv3", "-t": "telnet-option",
    "-1": "tlsv1", "-B": "use-ascii",
  ]

  private static let texts: [(names: Set<String>, text: String)] = [
    (["manual"], "the manual is 'man urlload'"),
    (["next"], "each URL with options of its own is a run of its own; write urlload once more"),
    (["stderr"], "let the shell do it: 2> FILE"),
    (["post301", "post302", "post303"], "a redirect by 307 or 308 keeps the method; for the others give the last URL itself"),
    (["location-trusted"], "a login is never sent to another host than the one that was named; give the last URL itself"),
    (
      ["http2-prior-knowledge", "http1.0", "http0.9", "proxy1.0", "haproxy-protocol", "no-alpn", "alpn", "npn"],
      "there are HTTP/1.1, HTTP/2 over TLS and HTTP/3: --http1.1, --http2, --http3"
    ),
    (["sslv2", "sslv3"], "SSL is broken and isn't built in; --tlsv1.0 is the oldest"),
    (["tlsv1"], "use --tlsv1.2, or --tlsv1.0 for very old servers"),
    (["socks5-hostname"], "use --proxy socks5h://HOST:PORT"),
    (["socks4"], "use --proxy socks4://HOST:PORT"),
    (["socks4a"], "use --proxy socks4a://HOST:PORT"),
    (["preproxy"], "there is one proxy at a time: --proxy"),
    (["proxytunnel"], "https goes through the proxy's tunnel anyway, http is forwarded by it"),
    (
      ["proxy-basic", "proxy-digest", "proxy-ntlm", "proxy-negotiate", "proxy-anyauth", "socks5-basic"],
      "the strongest scheme that the proxy offers is used; give the login with --proxy-user"
    ),
    (["ntlm", "negotiate"], "use -u: the strongest scheme that the server offers is used, NTLM and Negotiate among them"),
    (["capath"], "put the certificates into one PEM file and name it with --cacert"),
    (["cert-type", "key-type"], "the type of a certificate or key is found out from its content"),
    (["pass"], "put the password behind the certificate: --cert FILE:PASSWORD"),
    (["ssl", "ssl-reqd", "ftp-ssl-control"], "write the URL with ftps:// for TLS"),
    (["ftp-pasv", "disable-epsv", "disable-eprt", "ftp-skip-pasv-ip"], "FTP's data connections are always passive, by EPSV, else PASV"),
    (["list-only"], "a URL that ends with / lists the folder; with ;type=d behind it, names alone: ftp://HOST/FOLDER/;type=d"),
    (["rate"], "there is no limit on requests; --limit-rate limits bytes"),
    (["speed-limit", "speed-time"], "use --connect-timeout: the longest time without progress; or --max-time"),
    (["expect100-timeout"], "the server gets a second to ask for the body; -H 'Expect:' sends the body at once"),
    (["trace-time", "trace-ids", "trace-config"], "use --trace, -vv for frames, or --metrics for times"),
    (["libcurl"], "--curl prints the line for curl, which has this option"),
    (["xattr", "create-file-mode"], "a file gets the permissions of its making, and no attributes; use chmod and setfattr"),
    (["hsts", "alt-svc"], "what servers say of https and HTTP/3 is heeded within a run"),
    (["junk-session-cookies"], "leave -b FILE out, or remove the lines whose fifth column is 0"),
    (["styled-output"], "colours are left out with NO_COLOR=1"),
    (["suppress-connect-headers"], "a proxy's answer to CONNECT isn't among the heads"),
    (["fail-early"], "all URLs are loaded, and the exit code is that of the first that failed"),
    (["disallow-username-in-url"], "a login in a URL works; leave it out of the URL"),
    (
      ["proto", "proto-redir"],
      "redirects lead to http, https and ftp, where they only fetch, and never to file or data; --no-location follows none"
    ),
    (["proto-default"], "write the scheme before the URL"),
    (["ignore-content-length", "raw", "tr-encoding"], "a response's length and coding are always heeded"),
    (["path-as-is"], "the segments . and .. of a path are always resolved before it is sent"),
    (["request-target"], "the path and query of the URL are what is asked for; write them there, and name the server with --connect-to"),
    (
      [
        "interface", "local-port", "keepalive-time", "keepalive", "tcp-nodelay", "tcp-fastopen", "happy-eyeballs-timeout-ms", "mptcp",
        "ip-tos",
        "vlan-priority",
      ], "sockets are the library's own affair; it isn't there"
    ),
    (["dns-interface", "dns-ipv4-addr", "dns-ipv6-addr", "dns-servers"], "use --doh-url, or --resolve"),
    (["aws-sigv4"], "the tool signs no requests; use a program with the library's URLSessionSigningInterceptor"),
    (["metalink"], "there is no Metalink"),
    (
      ["mirror", "recursive", "page-requisites", "convert-links", "no-parent", "level", "accept", "reject", "spider"],
      "sites aren't mirrored; use wget"
    ),
    (["continue"], "use -C -"),
    (["tries"], "use --retry COUNT"),
    (["output-document"], "use -o FILE"),
    (["post-data", "body-data"], "use -d DATA"),
    (["password"], "use -u USER:PASSWORD"),
    (["quiet"], "use -s"),
    (["print", "body", "headers", "meta", "all"], "use -i for heads and body, -v for everything"),
    (["verify"], "use -k to accept any certificate, --cacert for a file of authorities"),
    (["auth", "auth-type", "bearer"], "use -u USER:PASSWORD, or --oauth2-bearer TOKEN"),
    (["check-status"], "use -f"),
    (["timeout", "read-timeout"], "use -m SECONDS for the whole, --connect-timeout for the longest time without progress"),
    (["max-redirects", "max-redirect"], "use --max-redirs COUNT"),
    (["http-version"], "use --http1.1, --http2 or --http3"),
    (["default-scheme", "https"], "write the scheme before the URL; without one it is https, http where the name is local"),
    (["multipart", "boundary"], "the body is a form with name@FILE, or with -F"),
    (["ignore-stdin"], "leave it out: standard input is read only where @- or -T - names it"),
    (["style", "format-options", "unsorted", "sorted"], "use --pretty; the colours are the terminal's"),
    (["pretty-print"], "use --pretty"),
    (["session-read-only"], "use --session"),
    (["stream", "split"], "a body is always written as it comes; --segments loads a file in ranges at once"),
    (["max-connection-per-server", "dir"], "use --segments COUNT, and -P FOLDER"),
    (
      [
        "append", "crlf", "use-ascii", "quote", "krb", "delegation", "ftp-account", "ftp-alternative-to-user", "ftp-create-dirs",
        "ftp-method",
        "ftp-port", "ftp-pret", "ftp-ssl-ccc", "ftp-ssl-ccc-mode", "telnet-option", "tftp-blksize", "tftp-no-options", "mail-auth",
        "mail-from",
        "mail-rcpt", "mail-rcpt-allowfails", "upload-flags", "compressed-ssh", "hostpubmd5", "hostpubsha256", "pubkey", "login-options",
        "sasl-authzid",
        "sasl-ir", "service-name", "socks5-gssapi", "socks5-gssapi-nec", "socks5-gssapi-service", "proxy-service-name",
      ],
      "it belongs to a protocol, or a part of one, that isn't here; use curl"
    ),
    (
      [
        "ciphers", "tls13-ciphers", "curves", "sigalgs", "crlfile", "cert-status", "doh-cert-status", "doh-insecure", "false-start",
        "engine",
        "egd-file", "random-file", "sessionid", "ca-native", "ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke",
        "ssl-revoke-best-effort",
        "tlsauthtype", "tlspassword", "tlsuser", "ech", "dump-ca-embed",
      ],
      "TLS is negotiated by the library alone; --tlsv1.3, --tls-max, --cacert and --pinnedpubkey narrow it"
    ),
    (
      [
        "proxy-cacert", "proxy-capath", "proxy-cert", "proxy-cert-type", "proxy-ciphers", "proxy-crlfile", "proxy-header", "proxy-http2",
        "proxy-insecure", "proxy-key", "proxy-key-type", "proxy-pass", "proxy-pinnedpubkey", "proxy-ssl-allow-beast",
        "proxy-ssl-auto-client-cert", "proxy-tls13-ciphers", "proxy-tlsauthtype", "proxy-tlspassword", "proxy-tlsuser", "proxy-tlsv1",
        "proxy-ca-native",
      ],
      "a proxy's TLS is that of servers: --cacert, --cert and -k hold for it too"
    ),
    (["form-escape"], "names in forms are escaped as browsers do it"),
    (["ntlm-wb"], "use -u: NTLM is among the schemes that are used"),
    (["ipfs-gateway", "variable", "skip-existing", "out-null", "follow", "parallel-max-host"], "it isn't there"),
  ]
}
