import BackgroundTransfers
import Foundation

/// The body of an upload's response, written as it comes.
final class ResponseBodyFile {
  enum Failure: Error {
    /// It has more bytes than are kept.
    case tooLarge(limit: Int)
    case system(Int32)

    /// What the transfer ends with.
    var value: ErrorValue {
      switch self {
      case .tooLarge(let limit):
        URLErrorValue.make(
          .dataLengthExceedsMaximum, "The response to the upload has more than \(limit) bytes; background sessions keep no more.")
      case .system(let code): TransferFiles.diskFault(code)
      }
    }
  }

  let path: String
  private let limit: Int
  private let descriptor: Int32
  private(set) var length = 0

  /// Makes the file, in the place of one that an earlier attempt has left.
  init(_ path: String, limit: Int) throws(Failure) {
    self.path = path
    self.limit = limit
    unlink(path)
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(errno) }
  }

  deinit { close(descriptor) }

  func append(_ data: Data) throws(Failure) {
    guard data.count <= limit - length else { throw .tooLarge(limit: limit) }
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(count < 0 ? errno : ENOSPC) }
      rest = rest.dropFirst(count)
      length += count
    }
  }
}
