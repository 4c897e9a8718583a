#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  extension NSObject {
    /// A publisher of the value of an observed property: at first, and after each change, as `options` say.
    ///
    /// Without demand the latest value waits. It never ends; the subscription keeps the object.
    public struct KeyValueObservingPublisher<Subject: NSKeyValueObservation.Observable, Value>: Publisher, Equatable {
      /// The property's value.
      public typealias Output = Value
      /// It never fails.
      public typealias Failure = Never

      /// The object that is observed.
      public let object: Subject
      /// The property.
      public let keyPath: KeyPath<Subject, Value>
      /// What is published.
      public let options: NSKeyValueObservingOptions

      /// A publisher of the values of `object` at `keyPath`.
      public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        (self.object, self.keyPath, self.options) = (object, keyPath, options)
      }

      /// Whether both publish the same property of the same object.
      public static func == (one: Self, other: Self) -> Bool {
        one.object === other.object && one.keyPath == other.keyPath && one.options == other.options
      }

      /// Subscribes: begins an observation.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Value {
        let join = JoinSubscription("KVOSubscription", LatestRules<Value>(), of: 1, downstream: subscriber)
        subscriber.receive(subscription: join)
        let observation = observe(join)
        join.receive(ObservationSubscription(object: object, observation: observation), at: 0)
      }

      private func observe(_ receiver: any ValueReceiver<Value>) -> NSKeyValueObservation {
        // A prior call tells the value that is about to change.
        let told = options.union(options.contains(.prior) ? [.new, .old] : .new)
        return object.observe(keyPath, options: told) { _, change in
          if let value = change.newValue ?? change.oldValue { receiver.receive(value) }
        }
      }

      /// A publisher that tells that the property has changed, without its value.
      public func didChange() -> Publishers.Map<Self, Void> { map { _ in () } }
    }
  }

  extension NSKeyValueObservation.Observable {
    /// A publisher of the value of the property at `keyPath`: the present one, then each new one. With `.prior` also the one before.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
      NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  extension NSObject.KeyValueObservingPublisher: CombinePublisher {}

  /// What an observation's handler calls; without the subscriber's type, which the handler must not capture.
  private protocol ValueReceiver<Value>: AnyObject, Sendable {
    associatedtype Value
    func receive(_ value: Value)
  }

  extension JoinSubscription: ValueReceiver {}

  /// Keeps the observation, and the object for it, until it is cancelled.
  private final class ObservationSubscription: Subscription {
    private let object: AnyObject
    private let observation: NSKeyValueObservation

    init(object: AnyObject, observation: NSKeyValueObservation) { (self.object, self.observation) = (object, observation) }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() { observation.invalidate() }
  }

  /// One source whose values are published as far as they are demanded; of what isn't, the latest waits.
  private struct LatestRules<Value>: JoinRules {
    private var waiting = JoinQueue<Value>()

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand { .none }

    mutating func receive(_ input: Value, limit: Int?) {
      if let limit, waiting.count >= max(1, limit) { waiting.removeLast() }
      waiting.append(input)
    }

    mutating func finish(_ index: Int) {}
    mutating func next() -> (output: Value, source: Int?)? { waiting.popFirst().map { ($0, nil) } }
    var isFinished: Bool { false }
  }
#endif
