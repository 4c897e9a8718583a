import Foundation
import URLLoadingSystem

/// Why a command has failed: the message, and the exit code.
struct ToolFailure: Error, Sendable, Equatable {
  let status: ExitStatus
  /// One line with cause and remedy; empty if nothing is to be written.
  let message: String
  /// Whether another attempt may succeed.
  let transience: Transience

  init(_ status: ExitStatus, _ message: String, _ transience: Transience = .lasting) {
    self.status = status
    self.message = message
    self.transience = transience
  }

  /// The failure for an error of the loading system.
  /// - Parameter isSendingFile: Whether the request sends a file, so that a file that can't be read is this one.
  init(_ error: any Error, isSendingFile: Bool = false) {
    guard let error = error as? URLError else {
      self.init(.other, "\(error)")
      return
    }
    var status = ExitStatus(error.code)
    if ["ftp", "ftps"].contains(error.failingURL?.scheme?.lowercased()) {
      // The error is about a file of the FTP server, not of this machine.
      switch error.code {
      case .fileDoesNotExist: status = .resourceMissing
      case .noPermissionsToReadFile, .fileIsDirectory, .cannotOpenFile: status = .accessDenied
      case .cannotCreateFile, .cannotWriteToFile: status = .uploadRefused
      default: break
      }
    }
    if isSendingFile, status == .fileUnreadable || status == .cannotSendAgain { status = .readFailed }
    // Network errors may pass; errors by server or user don't.
    let transience: Transience = Transience.isPassing(code: error.code.rawValue) ? .passing() : .lasting
    self.init(status, ToolFailure.inOptions(ToolFailure.text(error)), transience)
  }

  /// The error's description, together with its remedy if the error has one apart.
  private static func text(_ error: URLError) -> String {
    guard error.code == .dataLengthExceedsMaximum, let remedy = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String else {
      return error.localizedDescription
    }
    return "\(error.localizedDescription): \(remedy)"
  }

  /// Replaces the library's names in a message's remedy by the tool's options.
  static func inOptions(_ text: String) -> String {
    text.replacing("timeoutIntervalForRequest", with: "--connect-timeout").replacing("timeoutIntervalForResource", with: "--max-time")
      .replacing("register a URLProtocol class for it", with: "http, https, ftp, ftps, file and data are served")
      .replacing("answer its challenge with an identity", with: "name one with --cert")
      .replacing("make its task with webSocketTask(with:)", with: "urlload ws URL opens it")
      .replacing("supply one in urlSession(_:task:needNewBodyStream:)", with: "name a file in place of standard input")
  }
}

/// The system's texts for values of `errno`.
enum SystemMessage {
  static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
