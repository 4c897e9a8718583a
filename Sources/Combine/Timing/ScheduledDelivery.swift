#if Combine
  import Foundation
  import OpenCombine

  /// Delivers the events of an upstream on a scheduler. It is the upstream's subscriber and the downstream's subscription.
  ///
  /// An action of the scheduler is planned for each event. Actions may run at the same time, or in another order than planned: each action delivers
  /// the oldest event, or leaves that to the action that is delivering at the moment.
  final class ScheduledDelivery<Value, Context: Scheduler, Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable
  where Downstream.Input == Value {
    // @unchecked: all variables are accessed under `lock`.
    typealias Input = Value
    typealias Failure = Downstream.Failure

    private enum Event {
      case value(Value)
      case end(Subscribers.Completion<Failure>)
    }

    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let lock = NSLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var events = JoinQueue<Event>()
    /// The number of actions that have run and whose event hasn't been delivered yet.
    private var due = 0
    private var isDelivering = false

    init(_ scheduler: Context, _ options: Context.SchedulerOptions?, downstream: Downstream) {
      (self.scheduler, self.options, self.downstream) = (scheduler, options, downstream)
    }

    func receive(subscription: any Subscription) {
      lock.lock()
      let isFirst = upstream == nil && downstream != nil
      if isFirst { upstream = subscription }
      let downstream = downstream
      lock.unlock()
      if isFirst { downstream?.receive(subscription: self) } else { subscription.cancel() }
    }

    func receive(_ value: Value) -> Subscribers.Demand {
      plan(.value(value))
      // No demand is returned here: the demand that the subscriber returns for the value is requested from the upstream when the value has been
      // delivered.
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { plan(.end(completion)) }

    private func plan(_ event: Event) {
      lock.lock()
      guard downstream != nil else { return lock.unlock() }
      events.append(event)
      lock.unlock()
      scheduler.schedule(options: options) { self.deliver() }
    }

    private func deliver() {
      lock.lock()
      due += 1
      guard !isDelivering else { return lock.unlock() }
      isDelivering = true
      lock.unlock()
      while let (downstream, event) = next() {
        switch event {
        case .value(let value):
          let more = downstream.receive(value)
          if more > 0 { request(more) }
        case .end(let completion):
          leave()
          downstream.receive(completion: completion)
        }
      }
    }

    private func next() -> (Downstream, Event)? {
      lock.lock()
      defer { lock.unlock() }
      guard due > 0, let downstream, let event = events.popFirst() else {
        isDelivering = false
        return nil
      }
      due -= 1
      return (downstream, event)
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > 0 else { return }
      lock.lock()
      let upstream = upstream
      lock.unlock()
      upstream?.request(demand)
    }

    func cancel() { leave()?.cancel() }

    /// Ends the delivery and returns the upstream's subscription. The subscriber and the waiting events are released outside of the lock.
    @discardableResult
    private func leave() -> (any Subscription)? {
      lock.lock()
      let (upstream, downstream) = (upstream, downstream)
      (self.upstream, self.downstream) = (nil, nil)
      let events = events
      self.events = JoinQueue()
      lock.unlock()
      return withExtendedLifetime((downstream, events)) { upstream }
    }
  }

  extension ScheduledDelivery: CustomStringConvertible {
    var description: String { "ReceiveOn" }
  }
#endif
