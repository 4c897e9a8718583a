import Foundation
import URLLoadingSystem

/// Why a load didn't succeed: what the tool says and how it ends.
struct ToolFailure: Error, Sendable, Equatable {
  let status: ExitStatus
  /// One line: the cause and the remedy. Empty where there is nothing to say.
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The failure that an error of the loading system means.
  init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(.other, "\(error)")
      return
    }
    self.init(ExitStatus(error.code), ToolFailure.inOptions(error.localizedDescription))
  }

  /// Where a message names a property of the library as the remedy, the user of the tool needs its option.
  private static func inOptions(_ text: String) -> String {
    text.replacing("timeoutIntervalForRequest", with: "--connect-timeout").replacing("timeoutIntervalForResource", with: "--max-time")
      .replacing("answer its challenge with an identity", with: "name one with --cert")
  }
}

/// The system's texts for its error numbers.
enum SystemMessage {
  static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
