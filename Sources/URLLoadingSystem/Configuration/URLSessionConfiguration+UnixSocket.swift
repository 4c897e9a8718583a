extension URLSessionConfiguration {
  /// The Unix socket that all connections of a session are made to, whatever host and port URLs name. An addition to Apple's API. Default: nil,
  /// the network.
  ///
  ///     configuration.unixSocketPath = "/run/docker.sock"
  ///     let (data, _) = try await URLSession(configuration: configuration).data(from: URL(string: "http://localhost/version")!)
  ///
  /// A path of at most 107 bytes, or "@" and the name of an abstract socket (unix(7)). It holds for HTTP, WebSockets and stream tasks; FTP is
  /// refused. Names aren't looked up, proxies aren't used and HTTP/3 isn't tried; App Transport Security allows what isn't encrypted. `Host` and the
  /// name in TLS are those of the URL's host, and so is what cookies, credentials and cached responses are kept by: therefore its sessions don't use
  /// the shared stores, but ones in memory of their own, unless the app sets others. URLs of the schemes `http+unix` and `https+unix`, which
  /// name a socket themselves, have theirs.
  ///
  /// Loads end with `URLError.badURL` where the path is too long, and with `cannotConnectToHost` where there is no socket, none that this user may
  /// connect to, or no server; the underlying error has the POSIX code.
  ///
  /// Background sessions ignore it.
  public var unixSocketPath: String? {
    get { values.withLock { $0.unixSocketPath } }
    set { values.withLock { $0.unixSocketPath = newValue } }
  }

  /// Shared stores are kept by the host of a URL, which isn't who answers at a socket: its sessions have stores of their own, as ephemeral ones
  /// do, unless the app has chosen some.
  func separateFromNetwork() {
    let own = URLSessionConfiguration.ephemeral
    if urlCache === URLCache.shared { urlCache = own.urlCache }
    if httpCookieStorage === HTTPCookieStorage.shared { httpCookieStorage = own.httpCookieStorage }
    if urlCredentialStorage === URLCredentialStorage.shared { urlCredentialStorage = own.urlCredentialStorage }
    hstsStore = own.hstsStore
    alternativeServiceStore = own.alternativeServiceStore
  }
}
