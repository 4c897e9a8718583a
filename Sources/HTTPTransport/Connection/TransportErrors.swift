import LoadingModel
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Gives the errors of sockets, resolver, TLS and parser their `LoadError`.
package enum TransportErrors {
  /// Errors of name resolution and connecting.
  package static func connecting(_ error: any Error) -> LoadError {
    switch error {
    case let error as LoadError: return error
    case let error as ResolutionError: return resolution(error)
    case let error as IOError: return posix(error, .connect)
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      return LoadError(.secureConnectionFailed, .secure, "the TLS handshake failed (\(error)); check that the port speaks TLS")
    case ChannelError.connectTimeout:
      return LoadError(.timedOut, .connect, "the server did not answer the connection attempt in time")
    default:
      return LoadError(.cannotConnectToHost, .connect, "connecting failed: \(error)")
    }
  }

  /// Errors after the request began and before the response's head is complete.
  /// - Parameter hasBegun: A part of the head has arrived.
  static func awaitingHead(_ error: any Error, hasBegun: Bool) -> LoadError {
    lost(
      error, .head,
      hasBegun
        ? "the server closed the connection in the middle of the response's head" : "the server closed the connection without an answer")
  }

  /// Maps an error in the middle of a response's body.
  package static func readingBody(_ error: any Error) -> LoadError {
    lost(error, .body, "the server closed the connection before the body was complete")
  }

  /// The error of a request that couldn't be started: between the lease of a multiplexed connection and the exchange's start the server closed the
  /// connection or sent GOAWAY. Another connection can send it.
  static func notSent(hasAnswered: Bool) -> LoadError {
    unserved(LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent"), hasAnswered)
  }

  /// The error of a request that the server has declared unprocessed by GOAWAY: it can be sent again.
  static func notLookedAt(hasAnswered: Bool) -> LoadError {
    unserved(LoadError(.networkConnectionLost, .head, "the server closed the connection without looking at the request"), hasAnswered)
  }

  private static func unserved(_ error: LoadError, _ hasAnswered: Bool) -> LoadError {
    var error = error
    error.resendReason = hasAnswered ? .outrun : .refused
    return error
  }

  /// The error of exchanges whose server doesn't answer a PING: the connection is probably broken.
  static var silence: LoadError {
    LoadError(.networkConnectionLost, .head, "the server has fallen silent: the connection to it is probably broken")
  }

  private static func lost(_ error: any Error, _ phase: LoadError.Phase, _ message: String) -> LoadError {
    switch error {
    case let error as LoadError: return error
    case let error as IOError: return posix(error, phase)
    case is PathLoss: return LoadError(.networkConnectionLost, phase, PathLoss.message)
    default: return LoadError(.networkConnectionLost, phase, message)
    }
  }

  private static func resolution(_ error: ResolutionError) -> LoadError {
    if let message = error.message {
      return LoadError(error.isTemporary ? .dnsLookupFailed : .cannotFindHost, .resolve, message)
    } else if error.isTemporary {
      return LoadError(
        .dnsLookupFailed, .resolve,
        "no name server has answered for “\(error.host)” (\(error.text)); check the network's DNS settings, or try again later")
    } else {
      return LoadError(.cannotFindHost, .resolve, "no such host: “\(error.host)” (\(error.text)); check the spelling")
    }
  }

  /// Whether the host has answered, but its port refuses connections (ECONNREFUSED) or resets them (ECONNRESET).
  static func isTurnedAway(_ error: LoadError) -> Bool { error.posixCode == ECONNREFUSED || error.posixCode == ECONNRESET }

  /// Whether a router has reported that the host doesn't answer or that there is no route to it (EHOSTUNREACH, EHOSTDOWN).
  package static func isHostAway(_ error: LoadError) -> Bool { error.posixCode == EHOSTUNREACH || error.posixCode == EHOSTDOWN }

  /// Whether a failed write means that the connection broke, and not only that the peer has stopped reading.
  ///
  /// The kernel reports EPIPE if a reset came after the peer's FIN: the peer has sent all that it had to send. Any other error means that the
  /// connection was reset before the peer's FIN.
  static func cutsOff(_ error: any Error) -> Bool { (error as? IOError).map { $0.errnoCode != EPIPE } ?? false }

  /// Whether connecting failed because this machine has no local address of that family, or no free port (EADDRNOTAVAIL).
  package static func isWithoutAddress(_ error: LoadError) -> Bool { error.posixCode == EADDRNOTAVAIL }

  static func isWantOfNetwork(_ error: LoadError) -> Bool { error.kind == .notConnectedToInternet || isWithoutAddress(error) }

  static func posix(_ error: IOError, _ phase: LoadError.Phase) -> LoadError {
    let text = String(cString: strerror(error.errnoCode))
    let code = error.errnoCode
    switch code {
    case ECONNREFUSED:
      return LoadError(
        .cannotConnectToHost, phase, "the server refused the connection; check the port and that it is running", posixCode: code)
    case EADDRNOTAVAIL:
      return LoadError(
        .cannotConnectToHost, phase,
        "this machine has no address to connect from, or no port left on it; load fewer at once, or let connections be used again",
        posixCode: code)
    case ENETUNREACH, ENETDOWN:
      return LoadError(.notConnectedToInternet, phase, "there is no route to the server (\(text))", posixCode: code)
    case EHOSTUNREACH, EHOSTDOWN:
      return LoadError(.cannotConnectToHost, phase, "the server's host can't be reached (\(text))", posixCode: code)
    case ETIMEDOUT:
      return LoadError(.timedOut, phase, "the server stopped answering (\(text))", posixCode: code)
    case EMFILE, ENFILE:
      return LoadError(
        .cannotConnectToHost, phase, "the process has too many open files; raise the limit or load fewer at once", posixCode: code)
    default:
      let kind: LoadError.Kind = phase == .connect ? .cannotConnectToHost : .networkConnectionLost
      return LoadError(kind, phase, "the connection broke (\(text))", posixCode: code)
    }
  }
}
