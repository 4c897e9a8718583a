#if TestKit
  import LoadingModel

  /// A value behind a lock; tasks can wait until it satisfies a condition.
  ///
  /// Owned by the object that publishes the value; may be used from any thread. Continuations are resumed outside of the lock.
  package final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
      let id: UInt64
      let isSatisfied: @Sendable (State) -> Bool
      let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Storage {
      var state: State
      var waiters: [Waiter] = []
      var nextID: UInt64 = 0
      /// The waits that were cancelled before `wait` stored their continuation.
      var cancelled: Set<UInt64> = []
    }

    private let storage: Mutex<Storage>

    package init(_ state: State) { storage = Mutex(Storage(state: state)) }

    package func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
      storage.withLock { body($0.state) }
    }

    /// Changes the state, then resumes the tasks whose condition it now satisfies.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
      let (result, satisfied) = storage.withLock { storage -> (Result, [Waiter]) in
        let result = change(&storage.state)
        guard !storage.waiters.isEmpty else { return (result, []) }
        let satisfied = storage.waiters.filter { $0.isSatisfied(storage.state) }
        storage.waiters.removeAll { waiter in satisfied.contains { $0.id == waiter.id } }
        return (result, satisfied)
      }
      for waiter in satisfied { waiter.continuation.resume() }
      return result
    }

    /// Returns once `condition` holds; throws `CancellationError` if the waiting task is cancelled first.
    package func wait(until condition: @escaping @Sendable (State) -> Bool) async throws {
      let id = storage.withLock { storage in
        storage.nextID += 1
        return storage.nextID
      }
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let outcome = storage.withLock { storage -> Result<Void, any Error>? in
            if condition(storage.state) { return .success(()) }
            if storage.cancelled.remove(id) != nil { return .failure(CancellationError()) }
            storage.waiters.append(Waiter(id: id, isSatisfied: condition, continuation: continuation))
            return nil
          }
          if let outcome { continuation.resume(with: outcome) }
        }
      } onCancel: {
        cancel(id)
      }
      storage.withLock { _ = $0.cancelled.remove(id) }
    }

    private func cancel(_ id: UInt64) {
      let waiter = storage.withLock { storage -> Waiter? in
        guard let index = storage.waiters.firstIndex(where: { $0.id == id }) else {
          // The cancellation came before `wait` stored its continuation, or after the condition was fulfilled. `wait` removes this entry in both
          // cases.
          storage.cancelled.insert(id)
          return nil
        }
        return storage.waiters.remove(at: index)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
#endif
