import Foundation
import LoadingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// Errors of stream tasks. Some are POSIX errors, as from sockets.

extension LoadError {
  /// `ENOTCONN`: the side of the stream that a call needs, reading or writing, is closed.
  static var streamClosed: LoadError {
    posix(ENOTCONN, "this side of the stream is closed; make a new task")
  }

  /// Bytes arrived unencrypted that would have to be read after TLS began: they aren't trusted (as in STARTTLS command injection).
  static var spokenInTheClear: LoadError {
    LoadError(
      .secureConnectionFailed, .secure,
      "the server spoke on before the connection was secured; read all of its answer before startSecureConnection()")
  }

  static var streamReadIsTooLarge: LoadError {
    LoadError(.dataLengthExceedsMaximum, .body, "a read waits for more than 1 GiB; read it in pieces")
  }

  /// `EINVAL`: a read of at most 0 bytes was requested.
  static var streamReadIsEmpty: LoadError {
    posix(EINVAL, "a read of at most 0 bytes; ask for 1 at least")
  }
}
