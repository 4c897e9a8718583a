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

  /// Errors in the middle of a body.
  package static func readingBody(_ error: any Error) -> LoadError {
    lost(error, .body, "the server closed the connection before the body was complete")
  }

  /// A legal race: the server closed a connection that carries many requests, or said that it will, between lease and start.
  static func notSent(hasAnswered: Bool) -> LoadError {
    unserved(LoadError(.networkConnectionLost, .send, "the server closed the connection before the request was sent"), hasAnswered)
  }

  /// The server has said that it won't look at the request (GOAWAY).
  static func notLookedAt(hasAnswered: Bool) -> LoadError {
    unserved(LoadError(.networkConnectionLost, .head, "the server closed the connection without looking at the request"), hasAnswered)
  }

  private static func unserved(_ error: LoadError, _ hasAnswered: Bool) -> LoadError {
    var error = error
    error.resendReason = hasAnswered ? .outrun : .refused
    return error
  }

  /// The server doesn't answer when it is asked whether it is there.
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

  /// Whether the host is there, and the port refuses connections or doesn't accept them.
  static func isTurnedAway(_ error: LoadError) -> Bool { error.posixCode == ECONNREFUSED || error.posixCode == ECONNRESET }

  /// Whether the host's network says that it doesn't answer, or that there is no way to it from there.
  package static func isHostAway(_ error: LoadError) -> Bool { error.posixCode == EHOSTUNREACH || error.posixCode == EHOSTDOWN }

  /// Whether a write has failed because the connection broke, and not only because the peer reads no more of it.
  ///
  /// A reset that comes behind the peer's orderly end is EPIPE to the system: all that the peer had to say has been said. Any other comes
  /// before its end.
  static func cutsOff(_ error: any Error) -> Bool { (error as? IOError).map { $0.errnoCode != EPIPE } ?? false }

  /// Whether this machine has no address to connect from: of that kind, or with a port left.
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
