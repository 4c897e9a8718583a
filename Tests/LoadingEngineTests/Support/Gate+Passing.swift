import HTTPTransport
import LoadingModel
import NIOCore
import NIOPosix

@testable import LoadingEngine
@testable import URLLoadingTestKit

extension Gate {
  /// Waits here as a load does for its connection: until the test opens the gate, or the load is interrupted.
  func pass(_ context: LoadContext) async throws(LoadError) {
    try await AppWait<Void>.room(onDisk: context) { wait in
      if arrive(on: context.eventLoop, proceed: { wait.answer(()) }) == nil { wait.answer(()) }
    }
  }

  /// Waits here as an app does that is asked something: no interruption ends it.
  func pass() async {
    await withCheckedContinuation { continuation in
      if arrive(on: Gate.loop, proceed: { continuation.resume() }) == nil { continuation.resume() }
    }
  }

  /// Asked for by timed gates alone.
  private static var loop: any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }
}
