@preconcurrency import Dispatch
import Foundation

/// Whether the daemon counts the seconds to its end.
struct IdleState {
  /// Of the latest countdown: an earlier one has no effect.
  var generation = 0
  var isCounting = false
}

extension DaemonCore {
  /// Begins to count, or stops, as there is work or not. Cheap: called after whatever may have changed it.
  func considerIdleness() {
    guard isServing, !isBusy else {
      idle.isCounting = false
      return
    }
    guard !idle.isCounting else { return }
    idle.isCounting = true
    idle.generation += 1
    let generation = idle.generation
    loop.asyncAfter(deadline: .now() + options.idleExit) { [weak self] in self?.endIfIdle(generation) }
  }

  private func endIfIdle(_ generation: Int) {
    guard isServing, idle.isCounting, idle.generation == generation, !isBusy else { return }
    end {}
  }

  /// Suspended transfers don't count: only an app or a tool can resume them, and starts the daemon for that.
  private var isBusy: Bool {
    guard connections.isEmpty, scheduler.isIdle, launches.isEmpty, launchTimer == nil else { return true }
    guard let counts = try? queue.counts() else { return true }
    return counts.waiting > 0
  }
}
