import Foundation
import LoadingModel

/// What apps with background sessions must know as long as there are none here: said once a process, and in the errors of their tasks.
package final class BackgroundNotice: Sendable {
  /// That of the process.
  package static let process = BackgroundNotice()

  /// The failure reason of every error that a task of a background session ends with.
  package static let failureReason =
    "background sessions aren't supported yet: this transfer ran in the app's process, and would have ended with it"

  private let isGiven = Mutex(false)

  package init() {}

  /// The line for standard error; nil if it has been given before.
  package func line(for identifier: String) -> String? {
    let isFirst = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
    guard isFirst else { return nil }
    return "URLLoadingSystem: background sessions aren't supported yet: the session “\(identifier)” works in the foreground, "
      + "and its transfers end with this process. Keep resume data to go on with them later.\n"
  }

  func give(for identifier: String) {
    if let line = line(for: identifier) { FileHandle.standardError.write(Data(line.utf8)) }
  }
}
