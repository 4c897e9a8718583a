extension URLSessionConfiguration {
  /// The Unix socket that all connections of a session are made to, whatever host and port URLs name. An addition to Apple's API. Default: nil,
  /// the network.
  ///
  ///     configuration.unixSocketPath = "/run/docker.sock"
  ///     let (data, _) = try await URLSession(configuration: configuration).data(from: URL(string: "http://localhost/version")!)
  ///
  /// A path of at most 107 bytes, or "@" and the name of an abstract socket (unix(7)). It applies to HTTP, WebSockets and stream tasks; FTP is
  /// refused. Names aren't looked up, proxies aren't used and HTTP/3 isn't tried; App Transport Security allows unencrypted loads. `Host` and the
  /// name in TLS are those of the URL's host, and so are the keys of cookies, credentials and cached responses: therefore its sessions don't use the
  /// shared stores but their own in memory, unless the app sets others. URLs of the schemes `http+unix` and `https+unix`, which name a socket
  /// themselves, are connected to that one.
  ///
  /// Loads end with `URLError.badURL` where the path is too long, and with `cannotConnectToHost` where there is no socket, none that this user may
  /// connect to, or no server; the underlying error has the POSIX code.
  ///
  /// Background sessions ignore it.
  public var unixSocketPath: String? {
    get { values.withLock { $0.unixSocketPath } }
    set { values.change { $0.unixSocketPath = newValue } }
  }

  /// Replaces the shared storages by private ones in memory, unless the app has set others: they are keyed by a URL's host, and the server at a Unix
  /// socket isn't that host.
  func separateFromNetwork() {
    let own = URLSessionConfiguration.ephemeral
    if urlCache === URLCache.shared { urlCache = own.urlCache }
    if httpCookieStorage === HTTPCookieStorage.shared { httpCookieStorage = own.httpCookieStorage }
    if urlCredentialStorage === URLCredentialStorage.shared { urlCredentialStorage = own.urlCredentialStorage }
    hstsStore = own.hstsStore
    alternativeServiceStore = own.alternativeServiceStore
  }
}
