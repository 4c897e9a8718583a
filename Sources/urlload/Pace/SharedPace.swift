import Foundation
import LoadingModel

/// `--limit-rate`: so many bytes a second, of all loads of a run together. A load that has taken bytes waits until they are due. Thread-safe.
final class SharedPace: Sendable {
  /// How long one wait may be, so that a run that ends is noticed.
  private static let longestWait = 0.1

  private let bytesPerSecond: Double
  /// When what was taken is due, in seconds of the system's uptime.
  private let due = Mutex(0.0)

  init(bytesPerSecond: Int64) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

  /// Waits until `count` bytes more may have been moved, or there is no more use in it.
  func take(_ count: Int, unless isOver: () -> Bool) {
    let end = reserve(count)
    while !isOver() {
      let wait = end - SharedPace.now
      guard wait > 0 else { return }
      usleep(useconds_t(min(wait, SharedPace.longestWait) * 1e6))
    }
  }

  /// As `take`, for what is sent.
  func takeSending(_ count: Int) async throws {
    let wait = reserve(count) - SharedPace.now
    if wait > 0 { try await Task.sleep(for: .seconds(wait)) }
  }

  private func reserve(_ count: Int) -> Double {
    due.withLock { due in
      // What wasn't used isn't saved up.
      due = max(due, SharedPace.now) + Double(count) / bytesPerSecond
      return due
    }
  }

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
