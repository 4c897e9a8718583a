import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// What handlers were called with, in order.
final class CallLog: Sendable {
  private let state = Mutex<[String]>([])
  private let signal = Signal()

  var calls: [String] { state.withLock { $0 } }

  func add(_ call: String) {
    state.withLock { $0.append(call) }
    signal.send()
  }

  /// The calls, once there are this many.
  func calls(_ count: Int) async -> [String] {
    for _ in 0..<count { await signal.wait() }
    return calls
  }
}
