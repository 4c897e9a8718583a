import Foundation
import LoadingModel

/// What the response to a request for the rest of a resource means for the bytes that have been received before.
package enum ResumeDecision: Sendable {
  /// The body continues where those bytes end. `total` is the size of the whole resource in bytes, nil if unknown.
  case append(total: Int64?)
  /// The body is the whole resource, which has changed or isn't served in parts: the bytes are replaced.
  case startOver
  /// The body is something else, such as the page of a 404: the bytes stay, and the response is the app's.
  case aside
  /// The response can't be used: the whole resource is requested again.
  case askAnew
}

/// Decides whether and how a broken transfer is resumed (RFC 9110, 13.1.5, 14 and 15.3.7).
package enum ResumeRules {
  /// The validator by which a later request can resume the body of this response; nil if it can't be resumed.
  ///
  /// - Parameters:
  ///   - request: The request as the app made it, without the fields that a resumption has added.
  ///   - received: When the response came.
  package static func validator(_ request: LoadRequest, _ head: ResponseHead, received: Date) -> ResumeValidator? {
    // RFC 9110, 14.2: ranges are defined for GET alone. With a range of the app's own, offsets would count from its beginning.
    guard request.method == "GET", !request.headers.contains("Range"), head.status == 200 || head.status == 206 else { return nil }
    // RFC 9110, 14.2: a range counts the bytes of the encoded form, but the bytes received have been decoded.
    guard isPlain(head.headers), !head.headers.listContains("Accept-Ranges", token: "none") else { return nil }
    return ResumeValidator(head.headers, received: received)
  }

  /// The offset from which to resume. If the file is complete, its last byte is requested again: a range after the end would be refused (RFC
  /// 9110, 14.1.1), and the response wouldn't say whether the resource is the same.
  /// - Parameters:
  ///   - present: The number of bytes that have been received.
  ///   - total: The size of the resource in bytes; nil if unknown.
  package static func offset(present: Int64, total: Int64?) -> Int64 {
    guard let total, total > 0 else { return max(0, present) }
    return max(0, min(present, total - 1))
  }

  /// Makes the request ask for the bytes from `offset` on if the resource is still the same, and for all of it otherwise (`Range`, `If-Range`).
  package static func ask(_ headers: inout HeaderFields, offset: Int64, _ validator: ResumeValidator) {
    headers.set("Range", "bytes=\(offset)-")
    headers.set("If-Range", validator.ifRange)
    // "identity", because offsets count bytes of the unencoded form, whatever codings the app or the session accepts.
    headers.set("Accept-Encoding", "identity")
  }

  /// - Parameters:
  ///   - offset: The first byte that was requested.
  ///   - total: The size of the resource in bytes, as known before the request; nil if unknown.
  package static func decide(_ head: ResponseHead, offset: Int64, total: Int64?, _ validator: ResumeValidator) -> ResumeDecision {
    switch head.status {
    case 206: return part(head, offset, total, validator)
    case 200: return .startOver
    // RFC 9110, 15.5.17: no byte lies after `offset`. So the resource has changed, or the server ignores If-Range.
    case 416: return .askAnew
    default: return .aside
    }
  }

  /// The same decision for a load that the library repeats by itself. A response that says nothing about the bytes (`aside`) isn't an answer to
  /// the app's own request, which asked for the whole resource.
  ///
  /// - Returns: nil if the attempt has failed for now, and the bytes are kept for the next one.
  package static func decideForLater(_ decision: ResumeDecision, status: Int) -> ResumeDecision? {
    guard case .aside = decision else { return decision }
    // RFC 9110, 15.4.5: a 304 answers a condition of the app's own.
    if status == 304 { return .startOver }
    return isPassing(status) ? nil : .askAnew
  }

  /// Whether the same request may succeed later: the server is overloaded, or behind a gateway that doesn't reach it.
  package static func isPassing(_ status: Int) -> Bool {
    switch status {
    // RFC 9110, 15.6.2 and 15.6.6: the server doesn't implement the method, or the HTTP version.
    case 501, 505: false
    case 408, 425, 429, 500..<600: true
    default: false
    }
  }

  /// The offset behind the last byte of the part that a 206 announces; nil if it announces none. Without a Content-Length nothing else bounds the
  /// body.
  package static func end(ofPart head: ResponseHead) -> Int64? {
    guard case .part(let range, _)? = contentRange(head) else { return nil }
    return range.upperBound
  }

  private static func contentRange(_ head: ResponseHead) -> ContentRange? {
    head.headers.first("Content-Range").flatMap { ContentRange($0, bodyLength: bodyLength(head)) }
  }

  private static func bodyLength(_ head: ResponseHead) -> Int64? {
    head.headers.first("Content-Length").flatMap { FieldSyntaxRules.decimal($0.trimmingSpaces().utf8) }
  }

  private static func part(_ head: ResponseHead, _ offset: Int64, _ total: Int64?, _ validator: ResumeValidator) -> ResumeDecision {
    // A server that ignores If-Range sends a part of the current version, which may be another one.
    if validator.isContradicted(by: head.headers) || !isPlain(head.headers) { return .askAnew }
    // A part other than the one requested, or one that contradicts itself, can't be appended; but the server may serve the whole resource
    // correctly.
    let length = bodyLength(head)
    guard case .part(let range, let current)? = contentRange(head), range.lowerBound == offset,
      length ?? Int64(range.count) == Int64(range.count)
    else { return .askAnew }
    if let total, range.upperBound > total || current ?? total != total { return .askAnew }
    return .append(total: current ?? total)
  }

  private static func isPlain(_ headers: HeaderFields) -> Bool {
    guard headers.contains("Content-Encoding") else { return true }
    if case .known(let codings) = ContentCodingRules.parse(headers) { return codings.allSatisfy { $0 == .identity } }
    return false
  }
}
