import Foundation
import Synchronization

/// The messages written so far, so that a mistake that is repeated at every layout is reported once.
private let reported = Mutex<Set<String>>([])

/// Writes a line to standard error about a mistake of the app, for which UIKit raises an exception. Each message is written only once.
func report(_ message: String) {
  let line = "HeadlessLayout: \(message)"
  // After a thousand different messages, nothing more is written.
  guard reported.withLock({ $0.count < 1000 && $0.insert(line).inserted }) else { return }
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
