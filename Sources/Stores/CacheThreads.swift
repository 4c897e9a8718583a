import Dispatch
import Synchronization

/// The threads on which caches wait for disks: a few serial queues for reading, one more for the bodies that are received. Each cache has
/// one of its own besides, on which it changes its database.
enum CacheThreads {
  private static let readers = (0..<3).map { DispatchQueue(label: "URLLoadingSystem.cache.read-\($0)", qos: .userInitiated) }
  private static let receiver = DispatchQueue(label: "URLLoadingSystem.cache.receive", qos: .utility)
  private static let turn = Atomic<Int>(0)

  private static func reader() -> DispatchQueue {
    readers[(turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max) % readers.count]
  }

  /// Runs `body` on a reading thread.
  nonisolated(nonsending) static func reading<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let reader = reader()
    return try await withUnsafeThrowingContinuation { continuation in
      reader.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Runs `body` on a reading thread.
  nonisolated(nonsending) static func reading<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let reader = reader()
    return await withUnsafeContinuation { continuation in
      reader.async { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` on the thread that writes received bodies.
  nonisolated(nonsending) static func receiving<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withUnsafeContinuation { continuation in
      receiver.async { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` some time, after what is now being received.
  static func later(_ body: @escaping @Sendable () -> Void) { receiver.async(execute: body) }
}
