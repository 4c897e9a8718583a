import Foundation
import URLLoadingSystem

/// The exit codes of the tool. They are curl's if curl has one for the case.
enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  /// Any failure without a code of its own.
  case other = 1
  /// The URL can't be parsed, or its scheme isn't supported.
  case malformedURL = 3
  case cannotResolve = 6
  case cannotConnect = 7
  /// The response isn't HTTP, or violates the protocol.
  case badResponse = 8
  /// An FTP server denies access to the file or folder.
  case accessDenied = 9
  /// The connection was lost during the load.
  case connectionLost = 18
  /// With `--fail`: an HTTP status of 400 and above.
  case httpFailure = 22
  case writeFailed = 23
  /// An FTP server refuses the upload.
  case uploadRefused = 25
  /// The file to be sent can't be read.
  case readFailed = 26
  case timedOut = 28
  case rangeUnavailable = 33
  case secureConnectionFailed = 35
  /// The file of a file: URL can't be read.
  case fileUnreadable = 37
  case tooManyRedirects = 47
  /// The client certificate or its key (`--cert`, `--key`) can't be used.
  case identityUnusable = 58
  case certificateRefused = 60
  case cannotDecode = 61
  case tooMuchData = 63
  /// Wrong usage of the command line; the number is that of `sysexits.h` and ArgumentParser.
  case usage = 64
  /// The request's body had to be sent again, but its source can be read only once.
  case cannotSendAgain = 65
  case loginDenied = 67
  /// The file of `--cacert` can't be read.
  case authoritiesUnreadable = 77
  /// The FTP server doesn't have the file.
  case resourceMissing = 78
  /// The server's public key isn't that of `--pinnedpubkey`, or the option's file can't be read.
  case pinMismatch = 90
  /// The body doesn't have the digest of `--checksum`. curl has no such code.
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

  /// The code after a signal: 128 plus its number, as in shells.
  init(signal: Int32) { self = ExitStatus(rawValue: 128 + signal) ?? .interrupted }
}
