import Foundation
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// The existing part of a body, and what is known about the whole content.
struct ReceivedPart: Sendable, Equatable {
  /// Number of existing bytes, from the beginning.
  var length: Int64 = 0
  /// The validator that the bytes were received with, for If-Range; nil if there was no strong one.
  var validator: String?
  /// Length of the whole content in bytes; nil if unknown.
  var total: Int64?
}

/// The request that continues an existing part. Pure.
enum PartRequest: Sendable, Equatable {
  case whole
  /// The rest, if the content hasn't changed according to the validator; otherwise the whole (Range with If-Range).
  case rest(from: Int64, validator: String)
  /// The rest and some bytes before it, which are compared with the existing ones, because there is no validator.
  case overlapping(from: Int64)
  /// The bytes after an offset that the user has given (`-C OFFSET`), without comparing.
  case after(Int64)

  /// How many existing bytes are requested again to be compared.
  static let overlap: Int64 = 16 * 1024

  init(_ part: ReceivedPart) {
    if part.length == 0 {
      self = .whole
    } else if let validator = part.validator {
      self = .rest(from: part.length, validator: validator)
    } else {
      self = .overlapping(from: max(0, part.length - PartRequest.overlap))
    }
  }

  /// The offset at which the requested range begins; nil for the whole.
  var offset: Int64? {
    switch self {
    case .whole: nil
    case .rest(let from, _), .overlapping(let from), .after(let from): from
    }
  }

  /// Adds the fields `Range` and `If-Range`.
  func add(to request: inout URLRequest) {
    guard let offset else { return }
    request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    if case .rest(_, let validator) = self { request.setValue(validator, forHTTPHeaderField: "If-Range") }
  }
}

/// The facts about a content, from a response, that decide about continuing a part.
struct PartFacts: Sendable, Equatable {
  var status = 200
  var contentRange: ContentRange?
  /// Length of the whole content; nil if the response doesn't tell.
  var total: Int64?
  /// A strong validator for If-Range (RFC 9110, 13.1.5); nil if there is none.
  var validator: String?
  var headers = HeaderFields()
  /// Whether the body has no content coding: the offsets of a decoded body aren't those of the content.
  var isPlain = true
}

extension PartFacts {
  init(_ response: URLResponse, received: Date = Date()) {
    guard let http = response as? HTTPURLResponse else {
      let length = response.expectedContentLength
      total = length < 0 ? nil : length
      // Responses of FTP and file: have no header fields: the range is known from the load.
      guard let part = response.load.part, part.offset > 0, length > 0 else { return }
      (status, total) = (206, part.total)
      contentRange = .part(range: part.offset..<part.offset + length, total: part.total)
      return
    }
    headers = http.head.headers
    status = http.statusCode
    contentRange = headers.first("Content-Range").flatMap { ContentRange($0) }
    isPlain = headers.first("Content-Encoding").map { $0.isEmpty || $0.lowercased() == "identity" } ?? true
    validator = isPlain ? ResumeValidator(headers, received: received)?.ifRange : nil
    switch contentRange {
    case .part(_, let whole): total = whole
    case .unsatisfied(let whole): total = whole
    case nil: total = isPlain ? headers.first("Content-Length").flatMap { Int64($0) } : nil
    }
  }

  /// Whether the response is of another version of the content than the validator.
  func contradicts(_ validator: String?) -> Bool {
    validator.flatMap { ResumeValidator(ifRange: $0) }?.isContradicted(by: headers) ?? false
  }
}

/// How a response to a `PartRequest` is used. Pure.
enum PartDecision: Sendable, Equatable {
  /// The body begins at this offset. Bytes that exist already must be equal, and later ones are appended.
  case join(at: Int64)
  /// The content has changed: the existing part is discarded.
  case startOver
  /// The existing part is already complete.
  case complete
  /// The response can't be combined with the existing part.
  case refuse(ExitStatus, String)

  /// Decides by RFC 9110, 14 and 15.3.7.
  static func decide(_ request: PartRequest, _ part: ReceivedPart, _ facts: PartFacts) -> PartDecision {
    guard let offset = request.offset else { return part.length == 0 ? .join(at: 0) : .startOver }
    switch facts.status {
    case 206: return joined(request, offset, part, facts)
    case 416: return unsatisfied(request, part, facts)
    case 200..<300:
      // The whole content: the server has ignored the range, or the If-Range validator doesn't match any more.
      if case .rest(_, let validator) = request, facts.contradicts(validator) { return .startOver }
      if let total = facts.total, total < part.length {
        return request.isUnconditional ? .refuse(.rangeUnavailable, isLonger(part, total)) : .startOver
      }
      return .join(at: 0)
    default: return .refuse(.httpFailure, "the server answered \(facts.status) to a request for the rest; what is there is kept")
    }
  }

  private static func joined(_ request: PartRequest, _ offset: Int64, _ part: ReceivedPart, _ facts: PartFacts) -> PartDecision {
    guard case .part(let range, let total)? = facts.contentRange, facts.isPlain else {
      return .refuse(.badResponse, "the server sent a part without saying which; load it without -C")
    }
    guard range.lowerBound == offset else {
      return .refuse(
        .badResponse, "the server sent the bytes from \(range.lowerBound) where those from \(offset) were asked for; load it without -C")
    }
    // Parts may only be combined if their strong validators match (RFC 9110, 15.3.7.3).
    if case .rest(_, let validator) = request, facts.contradicts(validator) { return .startOver }
    if let total, total < part.length { return .refuse(.rangeUnavailable, isLonger(part, total)) }
    if let total, let known = part.total, total != known, case .rest = request { return .startOver }
    return .join(at: offset)
  }

  private static func unsatisfied(_ request: PartRequest, _ part: ReceivedPart, _ facts: PartFacts) -> PartDecision {
    guard let total = facts.total ?? part.total else {
      return .refuse(
        .rangeUnavailable, "the server has no bytes from \(request.offset ?? 0) on and doesn't say how many there are; load it without -C")
    }
    if total == part.length, case .rest = request { return .complete }
    if total == part.length, case .after = request { return .complete }
    return .refuse(.rangeUnavailable, isLonger(part, total))
  }

  private static func isLonger(_ part: ReceivedPart, _ total: Int64) -> String {
    "there are \(part.length) bytes already, but the server has \(total) only: it isn't the same file; load it without -C"
  }
}

extension PartRequest {
  /// Whether the request has no validator.
  fileprivate var isUnconditional: Bool {
    if case .rest = self { false } else { true }
  }
}
