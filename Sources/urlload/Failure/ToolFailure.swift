import Foundation
import URLLoadingSystem

/// Why a load didn't succeed: what the tool says and how it ends.
struct ToolFailure: Error, Sendable, Equatable {
  let status: ExitStatus
  /// One line: the cause and the remedy. Empty where there is nothing to say.
  let message: String
  /// Whether trying again may help.
  let transience: Transience

  init(_ status: ExitStatus, _ message: String, _ transience: Transience = .lasting) {
    self.status = status
    self.message = message
    self.transience = transience
  }

  /// The failure that an error of the loading system means.
  /// - Parameter isSendingFile: Whether a file that can't be read is the one to be sent.
  init(_ error: any Error, isSendingFile: Bool = false) {
    guard let error = error as? URLError else {
      self.init(.other, "\(error)")
      return
    }
    var status = ExitStatus(error.code)
    if ["ftp", "ftps"].contains(error.failingURL?.scheme?.lowercased()) {
      // The server's file, not one of this machine's.
      switch error.code {
      case .fileDoesNotExist: status = .resourceMissing
      case .noPermissionsToReadFile, .fileIsDirectory, .cannotOpenFile: status = .accessDenied
      case .cannotCreateFile, .cannotWriteToFile: status = .uploadRefused
      default: break
      }
    }
    if isSendingFile, status == .fileUnreadable || status == .cannotSendAgain { status = .readFailed }
    // What the network did may be over soon; what the server or the user meant isn't.
    let transience: Transience = Transience.isPassing(code: error.code.rawValue) ? .passing() : .lasting
    self.init(status, ToolFailure.inOptions(ToolFailure.text(error)), transience)
  }

  /// The description, and the remedy where it is told beside it.
  private static func text(_ error: URLError) -> String {
    guard error.code == .dataLengthExceedsMaximum, let remedy = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String else {
      return error.localizedDescription
    }
    return "\(error.localizedDescription): \(remedy)"
  }

  /// Where a message names a property of the library as the remedy, the user of the tool needs its option.
  static func inOptions(_ text: String) -> String {
    text.replacing("timeoutIntervalForRequest", with: "--connect-timeout").replacing("timeoutIntervalForResource", with: "--max-time")
      .replacing("register a URLProtocol class for it", with: "http, https, ftp, ftps, file and data are served")
      .replacing("answer its challenge with an identity", with: "name one with --cert")
      .replacing("make its task with webSocketTask(with:)", with: "urlload ws URL opens it")
      .replacing(
        "supply one in urlSession(_:task:needNewBodyStream:)", with: "name a file in place of standard input, or give --basic with -u")
  }
}

/// The system's texts for its error numbers.
enum SystemMessage {
  static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
