import BackgroundTransfers
import Foundation

/// Errors of `NSURLErrorDomain` that the daemon itself makes, with the codes of `URLError`.
enum URLErrorValue {
  enum Code: Int {
    case cancelled = -999
    case badURL = -1000
    case timedOut = -1001
    case unsupportedURL = -1002
    case userAuthenticationRequired = -1013
    case fileDoesNotExist = -1100
    case noPermissionsToReadFile = -1102
    case dataLengthExceedsMaximum = -1103
    case cannotCreateFile = -3000
    case cannotOpenFile = -3001
    case cannotWriteToFile = -3003
    case cannotMoveFile = -3005
  }

  static let domain = "NSURLErrorDomain"

  static func make(_ code: Code, _ description: String) -> ErrorValue {
    ErrorValue(domain: domain, code: code.rawValue, description: description)
  }

  static var cancelled: ErrorValue { make(.cancelled, "The transfer was cancelled.") }
}
