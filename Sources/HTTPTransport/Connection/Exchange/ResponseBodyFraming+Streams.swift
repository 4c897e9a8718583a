import ProtocolRules

extension ResponseBodyFraming {
  /// Bytes of body that a response on a stream of its own promises (RFC 9113, 8.1.1; RFC 9114, 4.1.2); nil where it promises none.
  ///
  /// - Parameter isTunnel: Whether the request is a CONNECT: behind a 2xx to it, data is what the tunnel carries (RFC 8441, 5; RFC 9220).
  func promisedLength(isTunnel: Bool, status: Int) -> Int64? {
    switch self {
    case .none where isTunnel && status < 300: nil
    case .none: 0
    case .length(let length): length
    case .chunked, .untilClose: nil
    }
  }
}
