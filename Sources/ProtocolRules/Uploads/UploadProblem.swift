import Foundation
import LoadingModel

/// Why a server refuses a part of an upload (RFC 9457), as far as the client can do something about it.
package enum UploadProblem: Sendable, Hashable {
  /// The part begins elsewhere than where the server's bytes end.
  case mismatchingOffset
  /// The upload was complete already.
  case completed

  /// Bytes of a description that are worth reading.
  package static let readLimit = 16 * 1024

  private static let registry = "https://iana.org/assignments/http-problem-types#"

  /// Whether `head` comes with a description that says more than its status.
  package static func isDescribed(_ head: ResponseHead) -> Bool {
    guard (400..<500).contains(head.status), let type = head.headers.first("Content-Type") else { return false }
    return MIMEType.lenientEssence(type) == "application/problem+json"
  }

  /// - Parameter description: The body; empty if it wasn't read.
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
