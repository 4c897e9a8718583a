import Foundation
import URLLoadingSystem
import URLLoadingTestKit

/// What the app does beside its loads, and when.
struct Actions: Sendable {
  let chosen: Case
  let scene: Scene
  let session: URLSession
  let launches: [Launch]
  let app: App

  /// Before anything has been resumed.
  func beforehand() async {
    guard chosen.moment == .created else { return }
    await perform(on: launches)
  }

  /// Returns when everything has been done.
  func meanwhile() async {
    guard chosen.moment != .created else { return }
    switch chosen.action {
    case .none: return
    case .invalidate, .finish, .timeOut:
      if let first = launches.first { await reach(first) }
      await perform(on: launches)
    case .cancel, .cancelTwice, .pause, .pauseAndCancel:
      await withTaskGroup(of: Void.self) { group in
        for launch in launches {
          group.addTask {
            await reach(launch)
            await perform(on: [launch])
          }
        }
      }
    }
  }

  /// Milliseconds after which a moment that doesn't come isn't waited for any longer: some cases never have it.
  private static let patience = 500

  private func reach(_ launch: Launch) async {
    let (state, moment) = (launch.journal.state, chosen.moment)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await state.wait { $0.marks.contains(moment) || $0.ends > 0 } }
      group.addTask { try? await Task.sleep(for: .milliseconds(Actions.patience)) }
      await group.next()
      group.cancelAll()
    }
    for _ in 0..<chosen.turns.number { await Task.yield() }
  }

  private func perform(on launches: [Launch]) async {
    switch chosen.action {
    case .none: break
    case .cancel: for launch in launches { launch.cancel() }
    case .cancelTwice:
      for launch in launches {
        DispatchQueue.global().async { launch.cancel() }
        launch.cancel()
      }
    case .pause, .pauseAndCancel:
      let tasks = launches.compactMap { $0.task() }
      for task in tasks { task.suspend() }
      for _ in 0..<chosen.turns.number { await Task.yield() }
      if chosen.action == .pauseAndCancel {
        for launch in launches { launch.cancel() }
      } else {
        for task in tasks { task.resume() }
        // A task that has become another keeps its suspension there.
        for launch in launches { app.resumeSuccessor(of: launch.journal.number) }
      }
    case .invalidate: session.invalidateAndCancel()
    case .finish: session.finishTasksAndInvalidate()
    case .timeOut: await passTime(launches)
    }
  }

  /// Until everything has ended: each wake may plan another.
  private func passTime(_ launches: [Launch]) async {
    while !Task.isCancelled, launches.contains(where: { !$0.journal.hasEnded }) {
      scene.clock.advance(by: 11)
      try? await Task.sleep(for: .milliseconds(2))
    }
  }
}
