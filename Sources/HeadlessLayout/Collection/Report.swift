import Foundation
import Synchronization

/// The messages that have been written, so that a mistake that every layout repeats is reported once.
private let reported = Mutex<Set<String>>([])

/// Writes a line to standard error about a mistake of the app, for which UIKit raises an exception; the first time that it is made.
func report(_ message: String) {
  let line = "HeadlessLayout: \(message)"
  // A thousand different messages are enough to look at.
  guard reported.withLock({ $0.count < 1000 && $0.insert(line).inserted }) else { return }
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
