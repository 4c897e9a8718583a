import Foundation
import LoadingModel

/// Which part of a file a request asks for: its `Range` and `If-Range` fields, read for FTP.
package enum FTPResumption {
  /// - Parameters:
  ///   - size: The file's size in bytes, if the server told.
  ///   - modified: When the file was last changed, if the server told.
  package static func decide(_ headers: HeaderFields, size: Int64?, modified: Date?) -> ByteRangeDecision {
    guard let range = headers.first("Range") else { return .whole }
    // RFC 9110, 13.1.5: another validator means another file, and that one is sent whole.
    if let condition = headers.first("If-Range") {
      guard let modified, condition == HTTPDate.format(modified) else { return .whole }
    }
    let decision = ByteRangeRules.decide(range, length: size ?? .max)
    // The last bytes of a file whose size nobody knows.
    if size == nil, range.utf8.contains(where: { $0 == UInt8(ascii: "=") }), suffix(range) { return .whole }
    return decision
  }

  private static func suffix(_ range: String) -> Bool {
    range.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst().first { $0 != 0x20 } == UInt8(ascii: "-")
  }
}
