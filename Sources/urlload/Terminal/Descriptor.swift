import Foundation

/// Reading from and writing to file descriptors.
enum Descriptor {
  /// An `errno` as an error.
  struct Failure: Error { let code: Int32 }

  /// Writes all of `data`. If the descriptor isn't ready, waits.
  /// - Returns: `errno` if writing fails; nil after success.
  static func writeAll(_ data: Data, to descriptor: Int32) -> Int32? {
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // A program that shares the terminal or pipe has made it non-blocking.
          var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&ready, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }

  /// Writes all of `data` at an offset of a file.
  /// - Returns: `errno` if writing fails; nil after success.
  static func writeAll(_ data: Data, to descriptor: Int32, at offset: Int64) -> Int32? {
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      var offset = offset
      while !rest.isEmpty {
        let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(offset))
        if count >= 0 {
          rest = rest.dropFirst(count)
          offset += Int64(count)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }

  /// Reads up to `count` bytes at an offset of a file; fewer only at its end.
  static func read(_ descriptor: Int32, at offset: Int64, count: Int) -> Result<Data, Failure> {
    var data = Data(count: count)
    var filled = 0
    while filled < count {
      let got = data.withUnsafeMutableBytes { bytes in
        pread(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]).baseAddress, count - filled, off_t(offset) + off_t(filled))
      }
      if got == 0 { break }
      if got > 0 { filled += got } else if errno != EINTR { return .failure(Failure(code: errno)) }
    }
    return .success(data.prefix(filled))
  }
}
