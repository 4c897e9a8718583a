import Foundation
import LoadingModel

/// What the answer to a request for the rest means for the bytes that are already there.
package enum ResumeDecision: Sendable {
  /// The body continues where they end. Size of the whole resource in bytes, nil if unknown.
  case append(total: Int64?)
  /// The body is the whole resource, which has changed or isn't served in parts.
  case startOver
  /// The body is something else, such as the page of a 404: it says nothing about the bytes.
  case aside
  /// Nothing in this answer is of use: ask for the whole resource.
  case askAnew
}

/// Resuming a broken transfer (RFC 9110, 13.1.5, 14 and 15.3.7).
package enum ResumeRules {
  /// What a later request must prove to resume the body of this response; nil if it can't be resumed.
  ///
  /// - Parameters:
  ///   - request: As the app made it, without what a resumption added.
  ///   - received: When the response came.
  package static func validator(_ request: LoadRequest, _ head: ResponseHead, received: Date) -> ResumeValidator? {
    // 14.2: ranges are defined for GET alone. With a range of the app's own, offsets would count from elsewhere.
    guard request.method == "GET", !request.headers.contains("Range"), head.status == 200 || head.status == 206 else { return nil }
    // 14.2: a range counts the bytes of the encoded form; what has arrived is decoded.
    guard isPlain(head.headers), !head.headers.listContains("Accept-Ranges", token: "none") else { return nil }
    return ResumeValidator(head.headers, received: received)
  }

  /// Where to resume. Of a file that is complete, the last byte is asked for again: a range behind the end would be refused (14.1.1), and
  /// the answer wouldn't say whether the resource is the same.
  /// - Parameters:
  ///   - present: Bytes that are there.
  ///   - total: Size of the resource, nil if unknown.
  package static func offset(present: Int64, total: Int64?) -> Int64 {
    guard let total, total > 0 else { return max(0, present) }
    return max(0, min(present, total - 1))
  }

  /// Asks for the bytes from `offset` on, if the resource is still the same, and for all of it otherwise.
  package static func ask(_ headers: inout HeaderFields, offset: Int64, _ validator: ResumeValidator) {
    headers.set("Range", "bytes=\(offset)-")
    headers.set("If-Range", validator.ifRange)
    // Offsets count bytes of the unencoded form, whatever codings the app or the session would take.
    headers.set("Accept-Encoding", "identity")
  }

  /// - Parameters:
  ///   - offset: The first byte that was asked for.
  ///   - total: Size of the resource as it was known then.
  package static func decide(_ head: ResponseHead, offset: Int64, total: Int64?, _ validator: ResumeValidator) -> ResumeDecision {
    switch head.status {
    case 206: return part(head, offset, total, validator)
    case 200: return .startOver
    // 15.5.17: nothing lies behind `offset` any more, so the resource has changed, or the server doesn't heed If-Range.
    case 416: return .askAnew
    default: return .aside
    }
  }

  /// The same for a load that is tried again later, by itself: an answer that says nothing about the bytes isn't one to the app's request,
  /// which asked for all of them.
  ///
  /// - Returns: nil if the attempt has failed, and the bytes are kept for the next.
  package static func decideForLater(_ decision: ResumeDecision, status: Int) -> ResumeDecision? {
    guard case .aside = decision else { return decision }
    // 15.4.5: an answer to a condition of the app's own.
    if status == 304 { return .startOver }
    return isPassing(status) ? nil : .askAnew
  }

  /// Whether the same request may have another answer later: the server is overloaded, or behind a gateway that doesn't reach it.
  package static func isPassing(_ status: Int) -> Bool {
    switch status {
    // 15.6.2 and 15.6.6: it isn't going to do it, or to speak this version.
    case 501, 505: false
    case 408, 425, 429, 500..<600: true
    default: false
    }
  }

  private static func part(_ head: ResponseHead, _ offset: Int64, _ total: Int64?, _ validator: ResumeValidator) -> ResumeDecision {
    // A server that doesn't know If-Range sends a part of whatever it has now.
    if validator.isContradicted(by: head.headers) || !isPlain(head.headers) { return .askAnew }
    // A part that isn't the one asked for, or that contradicts itself, can't be joined; a server that errs over a part may serve the whole.
    let length = head.headers.first("Content-Length").flatMap { FieldSyntaxRules.decimal($0.trimmingSpaces().utf8) }
    guard let text = head.headers.first("Content-Range"), case .part(let range, let current)? = ContentRange(text, bodyLength: length),
      range.lowerBound == offset, length ?? Int64(range.count) == Int64(range.count)
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
