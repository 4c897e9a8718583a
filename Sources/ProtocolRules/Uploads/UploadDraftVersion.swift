import LoadingModel

/// The version of draft-ietf-httpbis-resumable-upload that a message follows, as its field `Upload-Draft-Interop-Version` states.
package struct UploadDraftVersion: Sendable, Hashable, Codable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  /// The version with which uploads are begun: that of Apple's first release.
  package static let announced = UploadDraftVersion(3)

  /// The version that a message's fields state; nil if they state none, or none in 1…99.
  package init?(_ headers: HeaderFields) {
    guard let text = headers.first("Upload-Draft-Interop-Version"), let number = Int(text.trimmingSpaces() as String),
      (1...99).contains(number)
    else { return nil }
    self.number = number
  }

  /// Whether this version has the field `Upload-Complete`; drafts up to interop version 3 have `Upload-Incomplete` instead.
  var saysComplete: Bool { number > 3 }

  /// Whether an append has its own media type, `application/partial-upload`: from interop version 6 on.
  var namesPartialUpload: Bool { number >= 6 }

  /// Adds the fields that state the version, and whether the request carries the upload up to its end (`isLast`) or only a part.
  func mark(_ headers: inout HeaderFields, isLast: Bool) {
    headers.set("Upload-Draft-Interop-Version", String(number))
    if saysComplete { headers.set("Upload-Complete", isLast ? "?1" : "?0") } else { headers.set("Upload-Incomplete", isLast ? "?0" : "?1") }
  }

  /// Whether `head` is a success that leaves the upload incomplete, so that more has to be sent.
  package static func isPartial(_ head: ResponseHead) -> Bool {
    (200..<300).contains(head.status) && isComplete(head.headers) == false
  }

  /// Whether the upload is complete, as a response says; nil if it doesn't say. Both fields are understood in any version.
  static func isComplete(_ headers: HeaderFields) -> Bool? {
    switch headers.first("Upload-Complete").map({ $0.trimmingSpaces() as String }) {
    case "?1": return true
    case "?0": return false
    default: break
    }
    switch headers.first("Upload-Incomplete").map({ $0.trimmingSpaces() as String }) {
    case "?0": return true
    case "?1": return false
    default: return nil
    }
  }
}
