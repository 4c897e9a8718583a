import Foundation
import LoadingModel

/// What lets a broken transfer go on later: how the resource is recognised (RFC 9110, 13.1.5).
package struct ResumeValidator: Sendable, Hashable {
  /// A strong entity tag, or a date that is a strong validator: the value of `If-Range`.
  package let ifRange: String
  package let isTag: Bool

  package init(tag: String) {
    ifRange = tag
    isTag = true
  }

  package init(date: String) {
    ifRange = date
    isTag = false
  }
}

/// What to do with the answer to a request that asked for the rest of a resource.
package enum ResumeDecision: Sendable, Equatable {
  /// The rest follows. `total` is the whole resource's length; nil if the server doesn't say.
  case append(total: Int64?)
  /// The whole resource follows: it has changed, or the server doesn't know ranges.
  case startOver
  /// There is nothing left to fetch.
  case isComplete
  case fail(LoadError)

  package static func == (left: ResumeDecision, right: ResumeDecision) -> Bool {
    switch (left, right) {
    case (.append(let left), .append(let right)): left == right
    case (.startOver, .startOver), (.isComplete, .isComplete): true
    case (.fail(let left), .fail(let right)): left.kind == right.kind
    case (.append, _), (.startOver, _), (.isComplete, _), (.fail, _): false
    }
  }
}

/// Which downloads can be resumed, and how (RFC 9110, 13.1.5, 14 and 15.3.7).
package enum ResumeRules {
  /// How the resource can be recognised later; nil if it can't, or if its bytes can't be asked for from the middle.
  package static func validator(request: LoadRequest, head: ResponseHead, now: Date) -> ResumeValidator? {
    guard request.method == "GET", head.status == 200 || head.status == 206 else { return nil }
    // What arrives is decoded, so its length says nothing about the position in the encoded form.
    guard !head.headers.contains("Content-Encoding") else { return nil }
    guard !head.headers.listContains("Accept-Ranges", token: "none") else { return nil }
    // A client "MUST NOT generate an If-Range header field containing an entity tag that is marked as weak".
    if let tag = head.headers.first("ETag")?.trimmingSpaces(), tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count > 1 {
      return ResumeValidator(tag: tag)
    }
    guard let modified = head.headers.first("Last-Modified"), isStrong(modified, sentAt: head.headers.first("Date"), now: now) else {
      return nil
    }
    return ResumeValidator(date: modified)
  }

  /// RFC 9110, 8.8.2.2: strong if the Date is at least a second later. Without a Date nothing can be said; it is then taken for strong, as
  /// curl and browsers do, because the transfer would otherwise be lost.
  private static func isStrong(_ modified: String, sentAt date: String?, now: Date) -> Bool {
    guard let changed = HTTPDate.parse(modified, now: now) else { return false }
    guard let sent = date.flatMap({ HTTPDate.parse($0, now: now) }) else { return true }
    return sent.timeIntervalSince(changed) >= 1
  }

  /// The request for the bytes from `offset` on.
  package static func request(_ request: LoadRequest, from offset: Int64, _ validator: ResumeValidator) -> LoadRequest {
    var request = request
    request.mutate { fields in
      fields.headers.set("Range", "bytes=\(offset)-")
      fields.headers.set("If-Range", validator.ifRange)
    }
    return request
  }

  /// - Parameters:
  ///   - head: The answer.
  ///   - offset: Bytes that are there already; the range asked for begins at it.
  ///   - total: Length of the whole resource as it was known before; nil if it wasn't.
  package static func decide(_ head: ResponseHead, offset: Int64, total: Int64?) -> ResumeDecision {
    switch head.status {
    case 206: return part(head, offset, total)
    case 416:
      if case .unsatisfied(let length)? = contentRange(head), length == offset { return .isComplete }
      return .fail(changed("the resource has become shorter than what is there already"))
    default: return .startOver
    }
  }

  private static func part(_ head: ResponseHead, _ offset: Int64, _ total: Int64?) -> ResumeDecision {
    guard case .part(let range, let length)? = contentRange(head) else {
      return .fail(wrong("its answer doesn't say which part of the resource it is"))
    }
    guard range.lowerBound == offset else {
      return .fail(wrong("it was asked for the bytes from \(offset) on and sent those from \(range.lowerBound) on"))
    }
    if let length, let total, length != total { return .fail(changed("the resource's length has changed from \(total) to \(length)")) }
    // RFC 9110, 14.4: less than was asked for is allowed; a client that appends to a file needs it all.
    if let length, range.upperBound != length { return .fail(wrong("it sent less than the rest of the resource")) }
    return .append(total: length)
  }

  private static func contentRange(_ head: ResponseHead) -> ContentRange? {
    head.headers.first("Content-Range").flatMap(ContentRange.init)
  }

  private static func wrong(_ what: String) -> LoadError {
    LoadError(.badServerResponse, .head, "the server can't resume the download: \(what); start the download anew")
  }

  private static func changed(_ what: String) -> LoadError {
    LoadError(.badServerResponse, .head, "the download can't go on where it stopped: \(what); start it anew")
  }
}
