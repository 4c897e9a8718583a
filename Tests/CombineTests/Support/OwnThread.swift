#if Combine
  import Foundation
  import URLLoadingTestKit

  /// Runs `body` on a thread of its own and waits for its result: a test whose code blocks forever is then ended by its time limit.
  func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value? {
    let result = Watched<Value?>(nil)
    Thread.detachNewThread {
      let value = body()
      result.update { $0 = value }
    }
    try await result.wait { $0 != nil }
    return result.read { $0 }
  }
#endif
