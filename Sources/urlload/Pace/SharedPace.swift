import Foundation
import LoadingModel

/// The limit of bytes a second (`--limit-rate`), which all loads of a run share. A load that has moved bytes waits for the time that these take at
/// that rate. Thread-safe.
final class SharedPace: Sendable {
  /// Longest wait at a time, in seconds, after which it is checked whether the load has ended.
  private static let longestWait = 0.1

  private let bytesPerSecond: Double
  /// When the bytes moved so far are due at the limited rate, in seconds of the system's uptime.
  private let due = Mutex(0.0)

  init(bytesPerSecond: Int64) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

  /// Counts `count` bytes, and waits until they are due, or until `isOver` returns true.
  func take(_ count: Int, unless isOver: () -> Bool) {
    let end = reserve(count)
    while !isOver() {
      let wait = end - SharedPace.now
      guard wait > 0 else { return }
      usleep(useconds_t(min(wait, SharedPace.longestWait) * 1e6))
    }
  }

  /// Counts bytes to be sent, and waits without blocking until they are due.
  func takeSending(_ count: Int) async throws {
    let wait = reserve(count) - SharedPace.now
    if wait > 0 { try await Task.sleep(for: .seconds(wait)) }
  }

  private func reserve(_ count: Int) -> Double {
    due.withLock { due in
      // Unused time isn't saved up for later.
      due = max(due, SharedPace.now) + Double(count) / bytesPerSecond
      return due
    }
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
