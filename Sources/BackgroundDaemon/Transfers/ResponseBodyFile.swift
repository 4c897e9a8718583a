import BackgroundTransfers
import Foundation

/// The file for the response body of an upload, written as the bytes arrive.
final class ResponseBodyFile {
  enum Failure: Error {
    /// The body has more bytes than the daemon keeps.
    case tooLarge(limit: Int)
    case system(Int32)

    /// The error that ends the transfer.
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

  /// Makes the file; one that an earlier attempt has left is removed.
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
