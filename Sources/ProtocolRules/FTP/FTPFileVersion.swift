import Foundation
import LoadingModel

/// What a server tells about the file that it has at the moment (RFC 3659, 3 and 4).
package struct FTPFileVersion: Sendable {
  /// Bytes; nil if the server doesn't tell.
  package let size: Int64?
  /// When the file was last changed; nil if the server doesn't tell.
  package let modified: Date?
  /// An entity tag made of both, as fine as the server tells them; nil if it doesn't tell both.
  package let tag: String?

  /// - Parameters:
  ///   - size: The reply to SIZE.
  ///   - time: The reply to MDTM.
  package init(size: FTPReply, time: FTPReply) {
    self.size = FTPAnswers.size(size)
    modified = FTPAnswers.modificationDate(time)
    tag = self.size.flatMap { size in FTPAnswers.modificationStamp(time).map { "\"\($0)-\(size)\"" } }
  }

  /// Nothing is known, as of a file that is sent as text: its bytes aren't the ones that the server counts.
  package init() { (size, modified, tag) = (nil, nil, nil) }

  /// Whether the file could change once more without a change of its tag: in the second that the tag names (RFC 9110, 8.8.2.2).
  package func isFresh(_ now: Date) -> Bool {
    modified.map { now.timeIntervalSince($0) < 2 } ?? true
  }

  /// Which part of the file a request asks for by its `Range` and `If-Range` fields.
  package func part(_ headers: HeaderFields) -> ByteRangeDecision {
    guard let range = headers.first("Range") else { return .whole }
    // RFC 9110, 13.1.5: another validator means another file, and that one is sent whole.
    if let condition = headers.first("If-Range"), condition != tag, condition != modified.map(HTTPDate.format) { return .whole }
    // The last bytes of a file of unknown size.
    if size == nil, FTPFileVersion.isSuffix(range) { return .whole }
    return ByteRangeRules.decide(range, length: size ?? .max)
  }

  private static func isSuffix(_ range: String) -> Bool {
    range.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst().first { $0 != 0x20 } == UInt8(ascii: "-")
  }
}
