import LoadingModel

/// How a response's body is delimited.
package enum ResponseBodyFraming: Sendable, Hashable {
  case none
  /// Exactly this many bytes; if fewer arrive, the connection was lost.
  case length(Int64)
  case chunked
  /// Up to the end of the connection on HTTP/1, of the stream on HTTP/2 and HTTP/3.
  case untilClose
}

/// Decides from a response head how the body is delimited (RFC 9112, 6.3), and whether the connection persists (9.3).
package enum ResponseBodyRules {
  /// - Parameter method: The method of the request that `head` answers.
  /// - Throws: `cannotParseResponse` where framing fields are invalid or contradict each other. The connection can't be used again then: where
  ///   the next response begins is unknown.
  package static func framing(method: String, head: ResponseHead) throws(LoadError) -> ResponseBodyFraming {
    // RFC 9112, 6.3, 1: responses to HEAD and those with status 1xx, 204 or 304 are "always terminated by the first empty line after the
    // header fields, regardless of the header fields present in the message".
    if method == "HEAD" || head.isInformational || head.status == 204 || head.status == 304 { return .none }
    // RFC 9112, 6.3, 2: after a 2xx to CONNECT the connection is a tunnel; Content-Length and Transfer-Encoding are ignored.
    if opensTunnel(method: method, head: head) { return .none }
    var length: Int64?
    var transfer = TransferCoding.absent
    // By index, so that only values that are read are copied.
    let fields = head.headers.entries
    for index in fields.indices {
      switch fields[index].name.utf8.count {
      case 14 where fields[index].name.isField("content-length"): length = try contentLength(fields[index].value, earlier: length)
      case 17 where fields[index].name.isField("transfer-encoding"): transfer = try transferCoding(fields[index].value, after: transfer)
      default: continue
      }
    }
    // RFC 9113, 8.2.2: Transfer-Encoding doesn't exist above HTTP/1.
    if !isHTTP1(head) { transfer = .absent }
    // RFC 9112, 6.3, 3: "the Transfer-Encoding overrides the Content-Length". Such a connection isn't reused, see `keepsConnection`.
    if transfer == .chunked { return .chunked }
    if transfer == .unknown {
      // RFC 9112, 6.3, 3: a Content-Length beside it isn't the body's length, and how much of the body is coding is unknown.
      guard length == nil else {
        throw LoadError(.cannotParseResponse, .head, "the response has a transfer coding that wasn't offered, beside a Content-Length")
      }
      // RFC 9112, 6.3, 4: without chunked as the last coding, the body ends with the connection. All browsers read such a body as it is.
      return .untilClose
    }
    // RFC 9112, 6.3, 5: the length if there is a valid one; 6.3, 8: otherwise everything up to the close.
    return length.map { .length($0) } ?? .untilClose
  }

  /// Whether the connection can serve another request once this response has been read to its end.
  ///
  /// - Parameter requestedClose: Whether the request carried `Connection: close`.
  package static func keepsConnection(
    method: String, head: ResponseHead, framing: ResponseBodyFraming, requestedClose: Bool = false
  ) -> Bool {
    guard isHTTP1(head) else { return true }
    // RFC 9112, 9.6: a client that sends close "MUST NOT send further requests on that connection".
    if requestedClose || framing == .untilClose || head.status == 101 || opensTunnel(method: method, head: head) { return false }
    var says = ConnectionOptions()
    var hasLength = false
    var hasTransferCoding = false
    var isPlainlyChunked = true
    let fields = head.headers.entries
    for index in fields.indices {
      switch fields[index].name.utf8.count {
      case 10 where fields[index].name.isField("connection"): says.read(fields[index].value)
      case 14 where fields[index].name.isField("content-length"): hasLength = true
      case 17 where fields[index].name.isField("transfer-encoding"):
        isPlainlyChunked = !hasTransferCoding && fields[index].value.isField("chunked")
        hasTransferCoding = true
      default: continue
      }
    }
    // With "chunked" named twice, or beside another coding, sender and receiver may disagree where the body ends.
    if !isPlainlyChunked { return false }
    // RFC 9112, 6.3, 3: both fields at once "might indicate an attempt to perform request smuggling or response splitting".
    if says.close || (hasLength && hasTransferCoding) { return false }
    // RFC 9112, 9.3: HTTP/1.1 persists unless it says otherwise; HTTP/1.0 only if it says so. 6.1: Transfer-Encoding in a message of HTTP/1.0
    // means that its framing is faulty, and the client must close.
    return head.version == "HTTP/1.0" ? says.keepAlive && !hasTransferCoding : head.version == "HTTP/1.1"
  }

  private struct ConnectionOptions {
    var close = false
    var keepAlive = false

    mutating func read(_ list: String) {
      if list.isField("keep-alive") {
        keepAlive = true
        return
      }
      for option in FieldCursor.tokens(of: list) {
        if option.isField("close") { close = true }
        if option.isField("keep-alive") { keepAlive = true }
      }
    }
  }

  private enum TransferCoding {
    case absent, chunked
    /// A single coding that the client doesn't know, without "chunked".
    case unknown
  }

  /// Whether the response came over HTTP/1, HTTP/0.9 included: there a connection carries one message after the other.
  private static func isHTTP1(_ head: ResponseHead) -> Bool { head.version != "HTTP/2" && head.version != "HTTP/3" }

  private static func opensTunnel(method: String, head: ResponseHead) -> Bool {
    method == "CONNECT" && head.status >= 200 && head.status < 300
  }

  /// Reads a Content-Length field. RFC 9112, 6.3, 5: an invalid value is an unrecoverable error, unless it is a list of valid values that are all
  /// the same.
  private static func contentLength(_ value: String, earlier: Int64?) throws(LoadError) -> Int64 {
    if earlier == nil, let length = FieldSyntaxRules.decimal(value.utf8) { return length }
    var result = earlier
    for element in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let length = FieldSyntaxRules.decimal(Substring(element).trimmingSpaces().utf8) else {
        throw LoadError(.cannotParseResponse, .head, "the response's Content-Length isn't a number the client can use")
      }
      if let result, result != length {
        throw LoadError(.cannotParseResponse, .head, "the response has several Content-Length values that contradict each other")
      }
      result = length
    }
    guard let result else { throw LoadError(.cannotParseResponse, .head, "the response's Content-Length is empty") }
    return result
  }

  /// Reads a Transfer-Encoding field. RFC 9112, 7.4: a server may only use codings named in TE; this client names none, which leaves "chunked".
  /// Named twice it counts once, as in browsers. An unknown coding alone leaves the body as it is; one beside "chunked" is an error, because it
  /// can't be decoded.
  private static func transferCoding(_ value: String, after earlier: TransferCoding) throws(LoadError) -> TransferCoding {
    if earlier == .absent, value.isField("chunked") { return .chunked }
    var result = earlier
    for coding in FieldCursor.tokens(of: value) {
      // RFC 7230 removed "identity" from HTTP; old servers still send it, without effect.
      if coding.isField("identity") { continue }
      let isChunked = coding.isField("chunked")
      guard result == .absent || isChunked && result == .chunked else {
        throw LoadError(.cannotParseResponse, .head, "the response uses a transfer coding that wasn't offered")
      }
      result = isChunked ? .chunked : .unknown
    }
    return result
  }
}
