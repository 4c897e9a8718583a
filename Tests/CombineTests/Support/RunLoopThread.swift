#if Combine
  import Foundation
  import URLLoadingTestKit

  /// A thread that runs its run loop until it is stopped.
  final class RunLoopThread: Sendable {
    private struct State: @unchecked Sendable {
      // @unchecked: run loops may be given timers and blocks from any thread.
      var runLoop: RunLoop?
      var isStopped = false
    }

    private let state = Watched(State())

    init() {
      let thread = Thread { [state] in
        // Without a source the run loop would return at once.
        let keeper = Timer(timeInterval: 3600, repeats: true) { _ in }
        RunLoop.current.add(keeper, forMode: .default)
        state.update { $0.runLoop = RunLoop.current }
        while !state.read(\.isStopped) {
          _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
        keeper.invalidate()
      }
      thread.start()
    }

    var runLoop: RunLoop {
      get async throws {
        try await state.wait { $0.runLoop != nil }
        guard let runLoop = state.read({ $0 }).runLoop else { throw CancellationError() }
        return runLoop
      }
    }

    /// The thread ends after what it does at the moment.
    func stop() {
      state.update { $0.isStopped = true }
      guard let runLoop = state.read({ $0 }).runLoop else { return }
      let last = Timer(timeInterval: 0, repeats: false) { _ in }
      runLoop.add(last, forMode: .default)
    }
  }
#endif
