import LoadingModel

/// The version of draft-ietf-httpbis-resumable-upload of a message, by its `Upload-Draft-Interop-Version`.
package struct UploadDraftVersion: Sendable, Hashable, Codable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  /// The version that uploads are begun with: that of Apple's first release.
  package static let announced = UploadDraftVersion(3)

  /// The version that a response names; nil if it names none that makes sense.
  package init?(_ headers: HeaderFields) {
    guard let text = headers.first("Upload-Draft-Interop-Version"), let number = Int(text.trimmingSpaces() as String),
      (1...99).contains(number)
    else { return nil }
    self.number = number
  }

  /// Drafts up to interop version 3 say `Upload-Incomplete`, later ones `Upload-Complete`.
  var saysComplete: Bool { number > 3 }

  /// From interop version 6 on, an append has a media type of its own.
  var namesPartialUpload: Bool { number >= 6 }

  /// Marks a request that carries all the rest of the upload, or only a part of it.
  func mark(_ headers: inout HeaderFields, isLast: Bool) {
    headers.set("Upload-Draft-Interop-Version", String(number))
    if saysComplete { headers.set("Upload-Complete", isLast ? "?1" : "?0") } else { headers.set("Upload-Incomplete", isLast ? "?0" : "?1") }
  }

  /// Whether `head` is a success that leaves the upload incomplete: more has to be sent.
  package static func isPartial(_ head: ResponseHead) -> Bool {
    (200..<300).contains(head.status) && isComplete(head.headers) == false
  }

  /// Whether the upload is complete, as a response says; nil if it doesn't say. Either field is understood in any version.
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
