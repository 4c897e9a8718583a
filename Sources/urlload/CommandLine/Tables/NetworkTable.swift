extension LoadTable {
  static let networkEntries: [OptionEntry<NetworkOptions>] = [
    .value(
      "proxy", "x", takes: .url,
      help: "The proxy for all URLs, instead of the environment's: http://, https://, socks4://, socks4a://, socks5:// or socks5h://, with "
        + "user:password@ before the host where it wants a login. Empty: none."
    ) { options, text in options.proxy = text }.essential,
    .value("proxy-user", "U", takes: OptionValue("user:password"), help: "The login for the proxy of --proxy.") { options, text in
      options.proxyUser = text
    },
    .value(
      "noproxy", takes: OptionValue("list"),
      help: "Hosts that are reached without a proxy, instead of the environment's no_proxy: a.example,10.0.0.0/8, or *."
    ) { options, text in options.noproxy = text },
    .value("socks5", takes: OptionValue("host:port"), help: "A SOCKS 5 proxy for all URLs; names are looked up here. Default port: 1080.") {
      options, text in options.socks5 = text
    },
    .flag("ipv4", "4", help: "Use the servers' addresses of IP version 4 alone.") { options, isOn in options.family = isOn ? .v4 : nil },
    .flag("ipv6", "6", help: "Use the servers' addresses of IP version 6 alone.") { options, isOn in options.family = isOn ? .v6 : nil },
    .value(
      "resolve", takes: OptionValue("host:port:address,..."),
      help: "Addresses of a host, which may be *, for a port. Repeatable: the last for a place counts."
    ) { options, text in options.resolve.append(text) },
    .value(
      "connect-to", takes: OptionValue("host1:port1:host2:port2"),
      help: "Connect to the second place where a URL names the first. Empty parts mean any, or no change. Repeatable."
    ) { options, text in options.connectTo.append(text) },
    .value("unix-socket", takes: OptionValue("path", .file), help: "Connect to this Unix socket, whatever the URL names.") {
      options, text in options.unixSocket = text
    },
    .value("abstract-unix-socket", takes: OptionValue("name"), help: "Connect to this abstract Unix socket, whatever the URL names.") {
      options, text in options.abstractUnixSocket = text
    },
    .value("doh-url", takes: .url, help: "Look names up by DNS over HTTPS (RFC 8484).") { options, text in options.dohURL = text },
    .flag("http1.1", help: "Speak HTTP/1.1 only.") { options, isOn in options.version = isOn ? .http1 : nil },
    .flag("http2", help: "Speak HTTP/2 with servers that choose it in the TLS handshake, else HTTP/1.1; never HTTP/3.") { options, isOn in
      options.version = isOn ? .http2 : nil
    }.essential,
    .flag("http3", help: "Try HTTP/3 with every server, beside the older versions: the first to be ready is used.") { options, isOn in
      options.version = isOn ? .http3 : nil
    }.essential,
    .flag("http3-only", help: "Speak HTTP/3 only.") { options, isOn in options.version = isOn ? .http3Only : nil },
    .flag(
      "tls-earlydata",
      help: "Send safe requests with the first packets of a resumed HTTP/3 connection, where they could be replayed by an attacker."
    ) { options, isOn in options.sendsEarlyData = isOn },
    .flag("tlsv1.0", help: "TLS 1.0 or later.") { options, _ in options.oldestTLS = .tls10 },
    .flag("tlsv1.1", help: "TLS 1.1 or later.") { options, _ in options.oldestTLS = .tls11 },
    .flag("tlsv1.2", help: "TLS 1.2 or later: the default.") { options, _ in options.oldestTLS = .tls12 },
    .flag("tlsv1.3", help: "TLS 1.3 or later.") { options, _ in options.oldestTLS = .tls13 },
    .value("tls-max", takes: OptionValue("version", .words(TLSVersionChoice.allCases.map(\.rawValue))), help: "The newest version of TLS.")
    {
      options, text throws(UsageError) in
      if text == "default" {
        options.newestTLS = nil
        return
      }
      guard let version = TLSVersionChoice(rawValue: text) else { throw UsageError("--tls-max takes 1.0, 1.1, 1.2 or 1.3.") }
      options.newestTLS = version
    },
  ]

  static let loginEntries: [OptionEntry<LoginOptions>] = [
    .value(
      "user", "u", takes: OptionValue("user[:password]"),
      help: "The login for the server. Without a colon the password is asked for at the terminal."
    ) { options, text in options.user = text }.essential,
    .flag("basic", help: "Use Basic only, and send it without waiting to be asked.") { options, isOn in options.basic = isOn },
    .flag("digest", help: "Use Digest only: the password itself is never sent.") { options, isOn in options.digest = isOn },
    .flag("anyauth", help: "Use the strongest scheme that both know: the default.") { options, _ in
      (options.basic, options.digest) = (false, false)
    },
    .value("oauth2-bearer", takes: OptionValue("token"), help: "A token, sent as Authorization: Bearer to the URL's host.") {
      options, text throws(UsageError) in options.bearer = try FieldText.value(text, of: "Authorization")
    },
    .flag("netrc", "n", help: "Take logins from ~/.netrc.") { options, isOn in options.usesNetrc = isOn },
    .value("netrc-file", takes: .file, help: "Take logins from this file.") { options, text in options.netrcFile = text },
    .flag("netrc-optional", help: "As --netrc, where there is such a file; a password in the URL counts before it.") { options, isOn in
      (options.usesNetrc, options.isNetrcOptional) = (isOn, isOn)
    },
    .value("cacert", takes: .file, help: "Trust the certificate authorities in this PEM file, and no others.") { options, text in
      options.cacert = text
    },
    .value(
      "cert", "E", takes: OptionValue("file[:password]", .file),
      help: "The client's certificate, if the server asks for one: PEM, or PKCS #12 with the key in it."
    ) { options, text in options.cert = text },
    .value("key", takes: .file, help: "The private key of --cert, in PEM, where it is in a file of its own.") { options, text in
      options.key = text
    },
    .flag("insecure", "k", help: "Accept any certificate. An attacker on the way can read and change everything.") { options, isOn in
      options.insecure = isOn
    }.essential,
    .value(
      "pinnedpubkey", takes: OptionValue("sha256//hash|file", .file),
      help: "Fail (90) unless the server's public key has this SHA-256 in Base64 (several with ;), or is the one in this file (PEM, DER)."
    ) { options, text in options.pinnedKey = text },
  ]
}
