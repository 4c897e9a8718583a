import Foundation
import LoadingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// Some of a stream's errors are the system's, as with sockets.

extension LoadError {
  /// The side of the stream that was asked for is closed: `ENOTCONN`.
  static var streamClosed: LoadError {
    posix(ENOTCONN, "this side of the stream is closed; make a new task")
  }

  /// What came in the clear must not be taken for what was sent under TLS.
  static var spokenInTheClear: LoadError {
    LoadError(
      .secureConnectionFailed, .secure,
      "the server spoke on before the connection was secured; read all of its answer before startSecureConnection()")
  }

  static var streamReadIsTooLarge: LoadError {
    LoadError(.dataLengthExceedsMaximum, .body, "a read waits for more than 1 GiB; read it in pieces")
  }

  /// A read of that many bytes isn't possible: `EINVAL`.
  static var streamReadIsEmpty: LoadError {
    posix(EINVAL, "a read of at most 0 bytes; ask for 1 at least")
  }
}
