import Foundation
import URLLoadingSystem

/// How the tool ends. The numbers are curl's wherever curl has one for the case.
enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// None of the others.
  case other = 1
  /// The URL is malformed or its scheme isn't served.
  case malformedURL = 3
  case cannotResolve = 6
  case cannotConnect = 7
  /// The response isn't HTTP, or makes no sense.
  case badResponse = 8
  /// A server of FTP's refuses what is asked for.
  case accessDenied = 9
  /// The connection ended before the load did.
  case connectionLost = 18
  /// With `--fail`: an HTTP status of 400 and above.
  case httpFailure = 22
  case writeFailed = 23
  /// A server of FTP's doesn't take the file.
  case uploadRefused = 25
  /// A file that was to be sent.
  case readFailed = 26
  case timedOut = 28
  case rangeUnavailable = 33
  case secureConnectionFailed = 35
  /// A file: URL.
  case fileUnreadable = 37
  case tooManyRedirects = 47
  /// The client's own certificate or key.
  case identityUnusable = 58
  case certificateRefused = 60
  case cannotDecode = 61
  case tooMuchData = 63
  /// As `sysexits.h` and ArgumentParser have it.
  case usage = 64
  /// Data that was read once had to be sent again.
  case cannotSendAgain = 65
  case loginDenied = 67
  /// The file of `--cacert`.
  case authoritiesUnreadable = 77
  /// A server of FTP's has no such file.
  case resourceMissing = 78
  /// The server's public key isn't the one of `--pinnedpubkey`, or that can't be read.
  case pinMismatch = 90
  /// The body isn't what `--checksum` says. curl has no such status.
  case checksumMismatch = 110
  case hangup = 129
  case interrupted = 130
  case terminated = 143

  /// The status for an error of the loading system.
  init(_ code: URLError.Code) {
    self =
      switch code {
      case .badURL, .unsupportedURL: .malformedURL
      case .cannotFindHost, .dnsLookupFailed: .cannotResolve
      case .cannotConnectToHost, .notConnectedToInternet: .cannotConnect
      case .badServerResponse, .cannotParseResponse, .zeroByteResource, .redirectToNonExistentLocation: .badResponse
      case .networkConnectionLost: .connectionLost
      case .timedOut: .timedOut
      case .resourceUnavailable: .rangeUnavailable
      case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
        .secureConnectionFailed
      case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
        .certificateRefused
      case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile: .fileUnreadable
      case .httpTooManyRedirects: .tooManyRedirects
      case .cannotDecodeRawData, .cannotDecodeContentData: .cannotDecode
      case .dataLengthExceedsMaximum: .tooMuchData
      case .requestBodyStreamExhausted: .cannotSendAgain
      case .userAuthenticationRequired, .userCancelledAuthentication: .loginDenied
      case .cancelled: .interrupted
      default: .other
      }
  }

  /// The status after a signal: 128 and its number, as shells have it.
  init(signal: Int32) { self = ExitStatus(rawValue: 128 + signal) ?? .interrupted }
}
