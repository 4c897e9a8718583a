#if Combine
  import Combine
  import Foundation
  import URLLoadingTestKit

  /// A subscriber that keeps what it is told, and whose state a test can wait for.
  final class Recorder<Input: Sendable, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    // @unchecked: the subscription is behind `lock`, the rest is thread-safe or doesn't change.
    enum Ending: Sendable {
      case finished
      case failed(Failure)
    }

    struct State: Sendable {
      var subscriptions: [String] = []
      var values: [Input] = []
      var endings: [Ending] = []
    }

    private let state = Watched(State())
    private let demand: Subscribers.Demand
    private let onValue: @Sendable (Recorder, Input) -> Subscribers.Demand
    private let lock = NSLock()
    private var subscription: (any Subscription)?

    /// A subscriber that demands `demand` at once, and after each value what `onValue` returns.
    init(
      demand: Subscribers.Demand = .unlimited,
      onValue: @escaping @Sendable (Recorder, Input) -> Subscribers.Demand = { _, _ in .none }
    ) {
      (self.demand, self.onValue) = (demand, onValue)
    }

    func receive(subscription: any Subscription) {
      lock.withLock { self.subscription = subscription }
      state.update { $0.subscriptions.append(String(describing: subscription)) }
      if demand > 0 { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      state.update { $0.values.append(input) }
      return onValue(self, input)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      let ending: Ending =
        switch completion {
        case .finished: .finished
        case .failure(let error): .failed(error)
        }
      state.update { $0.endings.append(ending) }
    }

    func request(_ demand: Subscribers.Demand) { lock.withLock { subscription }?.request(demand) }

    func cancel() {
      let subscription = lock.withLock { () -> (any Subscription)? in
        defer { self.subscription = nil }
        return self.subscription
      }
      subscription?.cancel()
    }

    /// Lets go of the subscription without cancelling it.
    func release() {
      let released = lock.withLock { () -> (any Subscription)? in
        defer { subscription = nil }
        return subscription
      }
      withExtendedLifetime(released) {}
    }

    var subscriptions: [String] { state.read(\.subscriptions) }
    var values: [Input] { state.read(\.values) }
    var endings: Int { state.read(\.endings.count) }
    var hasFinished: Bool {
      state.read { state in if case .finished? = state.endings.last { true } else { false } }
    }
    var failure: Failure? {
      state.read { state in if case .failed(let error)? = state.endings.last { error } else { nil } }
    }

    func ended() async throws { try await state.wait { !$0.endings.isEmpty } }
    func received(_ count: Int) async throws { try await state.wait { $0.values.count >= count } }
  }

  extension Publisher where Output: Sendable {
    /// Subscribes with a recorder.
    func record(
      demand: Subscribers.Demand = .unlimited,
      onValue: @escaping @Sendable (Recorder<Output, Failure>, Output) -> Subscribers.Demand = { _, _ in .none }
    ) -> Recorder<Output, Failure> {
      let recorder = Recorder<Output, Failure>(demand: demand, onValue: onValue)
      subscribe(recorder)
      return recorder
    }
  }
#endif
