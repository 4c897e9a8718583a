import Foundation
import LoadingModel

/// The size and the time of the file that a server has at the moment (RFC 3659, 3 and 4).
package struct FTPFileVersion: Sendable {
  /// The file's size in bytes; nil if the server doesn't tell.
  package let size: Int64?
  /// When the file was last changed; nil if the server doesn't tell.
  package let modified: Date?
  /// An entity tag made of time and size, with the server's fractions of a second; nil if it doesn't tell both.
  package let tag: String?

  /// - Parameters:
  ///   - size: The reply to SIZE.
  ///   - time: The reply to MDTM.
  package init(size: FTPReply, time: FTPReply) {
    self.size = FTPAnswers.size(size)
    modified = FTPAnswers.modificationDate(time)
    tag = self.size.flatMap { size in FTPAnswers.modificationStamp(time).map { "\"\($0)-\(size)\"" } }
  }

  /// A version of which nothing is known, for a file that is sent as text: its bytes aren't the ones that the server counts.
  package init() { (size, modified, tag) = (nil, nil, nil) }

  /// Whether the file may change again without a change of its tag, because it was modified less than two seconds ago (RFC 9110, 8.8.2.2).
  package func isFresh(_ now: Date) -> Bool {
    modified.map { now.timeIntervalSince($0) < 2 } ?? true
  }

  /// Which part of the file a request asks for by its `Range` and `If-Range` fields.
  package func part(_ headers: HeaderFields) -> ByteRangeDecision {
    guard let range = headers.first("Range") else { return .whole }
    // RFC 9110, 13.1.5: another validator means that the file has changed, and it is sent whole.
    if let condition = headers.first("If-Range"), condition != tag, condition != modified.map(HTTPDate.format) { return .whole }
    // A suffix range (the last bytes) can't be computed while the size is unknown.
    if size == nil, FTPFileVersion.isSuffix(range) { return .whole }
    return ByteRangeRules.decide(range, length: size ?? .max)
  }

  private static func isSuffix(_ range: String) -> Bool {
    range.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst().first { $0 != 0x20 } == UInt8(ascii: "-")
  }
}
