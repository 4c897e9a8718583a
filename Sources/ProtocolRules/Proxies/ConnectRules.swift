import LoadingModel

/// Opens tunnels through an HTTP proxy by CONNECT (RFC 9110, 9.3.6).
package enum ConnectRules {
  /// The request target of CONNECT: host and port (RFC 9112, 3.2.3, authority-form).
  package static func target(_ origin: Origin) -> String {
    host(origin) + ":\(origin.port)"
  }

  private static func host(_ origin: Origin) -> String {
    origin.host.contains(":") ? "[\(Origin.withoutZone(origin.host))]" : origin.host
  }

  /// The head of the CONNECT request. `Proxy-Connection` isn't sent: RFC 9112, C.2.2 tells clients not to.
  package static func head(_ origin: Origin, authorization: String?) -> String {
    let target = target(origin)
    let credentials = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    return "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(credentials)\r\n"
  }

  /// The error if the proxy hasn't opened a tunnel; nil if it has. RFC 9110, 9.3.6: “Any 2xx (Successful) response indicates that the sender […]
  /// will switch to tunnel mode”.
  package static func refusal(_ head: ResponseHead, by proxy: Proxy, shown: Int = 0) -> LoadError? {
    guard !(200...299).contains(head.status) else { return nil }
    let isAboutLogin = head.status == ProtectionSpace.Peer.proxy.status
    var error = LoadError(
      isAboutLogin ? .userAuthenticationRequired : .cannotConnectToHost, .connect,
      isAboutLogin
        ? "the proxy \(proxy.place) wants to know who is calling; give it a user name and password"
        : "the proxy \(proxy.place) didn't open a tunnel: it answered \(head.status)")
    error.proxy = ProxyFault(isAboutLogin ? .httpBadCredentials : .connectAnswer, answer: head, shown: shown)
    return error
  }

  /// How the body of a proxy's 407 is delimited if its challenge can be answered on the same connection; nil if the status is another one, or the
  /// connection won't persist.
  package static func framingOfAnswerable(_ head: ResponseHead) throws(LoadError) -> ResponseBodyFraming? {
    guard head.status == ProtectionSpace.Peer.proxy.status else { return nil }
    let framing = try ResponseBodyRules.framing(method: "CONNECT", head: head)
    return ResponseBodyRules.keepsConnection(method: "CONNECT", head: head, framing: framing) ? framing : nil
  }

  /// The error if a proxy has opened a tunnel, but failed to prove its own identity in the final message of the authentication.
  package static func unproven(_ proxy: Proxy) -> LoadError {
    var error = LoadError(
      .cannotConnectToHost, .connect, "the proxy \(proxy.place) let us in but failed to prove who it is: it can't be trusted")
    error.proxy = ProxyFault(.connectAnswer)
    return error
  }

  /// The URL of the root of `origin`; for a stream, that of an https server with the same host and port.
  package static func root(of origin: Origin) -> String {
    let host = host(origin)
    let scheme = origin.isStream ? "https" : origin.scheme
    return "\(scheme)://\(host)\(origin.port == Origin.defaultPort(scheme: scheme) ? "" : ":\(origin.port)")/"
  }

  /// The request target of a request that is forwarded by a proxy: RFC 9112, 3.2.2, absolute-form, without user, password and fragment.
  package static func absoluteForm(_ target: Target) -> String {
    "\(target.origin.scheme)://\(target.authority)\(target.pathAndQuery)"
  }
}
