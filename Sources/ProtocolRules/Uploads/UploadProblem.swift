import Foundation
import LoadingModel

/// Why a server refuses a part of an upload (RFC 9457): the reasons that the client can do something about.
package enum UploadProblem: Sendable, Hashable {
  /// The part doesn't begin at the offset at which the server's bytes end.
  case mismatchingOffset
  /// The upload has been complete before.
  case completed

  /// The most bytes of a problem description that are read.
  package static let readLimit = 16 * 1024

  private static let registry = "https://iana.org/assignments/http-problem-types#"

  /// Whether `head` comes with a problem description (`application/problem+json`), which says more than the status.
  package static func isDescribed(_ head: ResponseHead) -> Bool {
    guard (400..<500).contains(head.status), let type = head.headers.first("Content-Type") else { return false }
    return MIMEType.lenientEssence(type) == "application/problem+json"
  }

  /// - Parameter description: The body of the response; empty if it wasn't read.
  package init?(_ head: ResponseHead, description: Data) {
    if head.status == 409 {
      self = .mismatchingOffset
      return
    }
    guard let object = try? JSONSerialization.jsonObject(with: description), let members = object as? [String: Any],
      let type = members["type"] as? String
    else { return nil }
    switch type {
    case UploadProblem.registry + "mismatching-upload-offset": self = .mismatchingOffset
    case UploadProblem.registry + "completed-upload": self = .completed
    default: return nil
    }
  }
}
