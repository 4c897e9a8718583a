import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Tasks of the app that run on the session's event loop.
@Suite(.timeLimit(.minutes(10))) struct TaskExecutorTests {
  private nonisolated(nonsending) func thread() async -> UInt { UInt(bitPattern: Int(pthread_self())) }

  @Test(arguments: Wire.allCases) func loadsAwaitedOnTheSessionsExecutorStayOnItsThread(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      let threads = try await withTaskExecutorPreference(session.taskExecutor) {
        try await withThrowingTaskGroup(of: Set<UInt>.self) { group in
          for _ in 0..<8 {
            group.addTask {
              var threads: Set<UInt> = []
              for _ in 0..<5 {
                threads.insert(await thread())
                let (data, _) = try await session.data(from: server.url("/bytes/100"))
                #expect(data.count == 100)
                threads.insert(await thread())
              }
              return threads
            }
          }
          return try await group.reduce(into: Set<UInt>()) { $0.formUnion($1) }
        }
      }
      #expect(threads.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancellingATaskOnTheSessionsExecutorEndsItsLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let gate = Gate()
      server.enqueue(Reply.text("x").with(.delayBeforeHeaders(gate)))
      let session = URLSession(configuration: configuration)
      let load = Task(executorPreference: session.taskExecutor) { try await session.data(from: server.url()) }
      try await gate.reached()
      load.cancel()
      let error = await #expect(throws: URLError.self) { _ = try await load.value }
      #expect(error?.code == .cancelled)
      session.invalidateAndCancel()
    }
  }
}
