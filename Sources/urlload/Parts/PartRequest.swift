import Foundation
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// What is there of a body, and what is known of the whole.
struct ReceivedPart: Sendable, Equatable {
  /// Bytes from the beginning that are there.
  var length: Int64 = 0
  /// The validator that the bytes came with, for If-Range; nil if there was none that promises the same bytes.
  var validator: String?
  /// Bytes in all; nil if unknown.
  var total: Int64?
}

/// What is asked for, given what is there already. Pure.
enum PartRequest: Sendable, Equatable {
  case whole
  /// The rest, if the resource is still what it was; otherwise the whole.
  case rest(from: Int64, validator: String)
  /// The rest and a little before it: nothing but the bytes themselves tells whether they belong together.
  case overlapping(from: Int64)
  /// What comes after so many bytes, whatever they were: the user says so.
  case after(Int64)

  /// How much is fetched again to be compared.
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

  /// Where the asked range begins; nil if none is asked for.
  var offset: Int64? {
    switch self {
    case .whole: nil
    case .rest(let from, _), .overlapping(let from), .after(let from): from
    }
  }

  /// Asks for it.
  func add(to request: inout URLRequest) {
    guard let offset else { return }
    request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    if case .rest(_, let validator) = self { request.setValue(validator, forHTTPHeaderField: "If-Range") }
  }
}

/// What a response says of the resource, as far as parts of it are concerned.
struct PartFacts: Sendable, Equatable {
  var status = 200
  var contentRange: ContentRange?
  /// The resource's length as far as the response tells.
  var total: Int64?
  /// For If-Range: RFC 9110, 13.1.5 takes strong validators only.
  var validator: String?
  var headers = HeaderFields()
  /// Whether the bytes delivered are those of the resource: a decoded body has other offsets.
  var isPlain = true
}

extension PartFacts {
  init(_ response: URLResponse, received: Date = Date()) {
    guard let http = response as? HTTPURLResponse else {
      let length = response.expectedContentLength
      total = length < 0 ? nil : length
      // FTP and files: there are no fields to say it.
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

  /// Whether the response is of another version than the one that a validator is of.
  func contradicts(_ validator: String?) -> Bool {
    validator.flatMap { ResumeValidator(ifRange: $0) }?.isContradicted(by: headers) ?? false
  }
}

/// What to do with a response to a `PartRequest`. Pure.
enum PartDecision: Sendable, Equatable {
  /// The body begins at this offset; what is there already must be the same, and what comes after it is new.
  case join(at: Int64)
  /// The resource isn't what it was: what is there is of no use.
  case startOver
  /// There is no more.
  case complete
  /// Nothing is known that would make one of the bytes on both sides.
  case refuse(ExitStatus, String)

  /// Decides by RFC 9110, 14 and 15.3.7.
  static func decide(_ request: PartRequest, _ part: ReceivedPart, _ facts: PartFacts) -> PartDecision {
    guard let offset = request.offset else { return part.length == 0 ? .join(at: 0) : .startOver }
    switch facts.status {
    case 206: return joined(request, offset, part, facts)
    case 416: return unsatisfied(request, part, facts)
    case 200..<300:
      // The whole: the range was ignored, or If-Range says that the resource has changed.
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
    // RFC 9110, 15.3.7.3: parts are of one whole only if their strong validators match.
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
  /// Whether nothing in the request names the version of the resource.
  fileprivate var isUnconditional: Bool {
    if case .rest = self { false } else { true }
  }
}
