#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  extension NSObject {
    /// A publisher of the values of an observed property: its initial value and its value after each change, as `options` say.
    ///
    /// If there is no demand, the latest value waits. The publisher never finishes; its subscription keeps the observed object alive.
    public struct KeyValueObservingPublisher<Subject: NSKeyValueObservation.Observable, Value>: Publisher, Equatable {
      /// The type of the property.
      public typealias Output = Value
      /// The publisher never fails.
      public typealias Failure = Never

      /// The observed object.
      public let object: Subject
      /// The key path of the observed property.
      public let keyPath: KeyPath<Subject, Value>
      /// Which values are published: initial, new, old or prior ones.
      public let options: NSKeyValueObservingOptions

      /// A publisher of the values of `object` at `keyPath`.
      public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        (self.object, self.keyPath, self.options) = (object, keyPath, options)
      }

      /// Whether both publish the same property of the same object with the same options.
      public static func == (one: Self, other: Self) -> Bool {
        one.object === other.object && one.keyPath == other.keyPath && one.options == other.options
      }

      /// Subscribes by beginning an observation of the property.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Value {
        let join = JoinSubscription("KVOSubscription", LatestRules<Value>(), of: 1, downstream: subscriber)
        subscriber.receive(subscription: join)
        let observation = observe(join)
        join.receive(ObservationSubscription(object: object, observation: observation), at: 0)
      }

      private func observe(_ receiver: any ValueReceiver<Value>) -> NSKeyValueObservation {
        // With `.prior` the handler is also called before a change, with the value that is about to change as the old value.
        let told = options.union(options.contains(.prior) ? [.new, .old] : .new)
        return object.observe(keyPath, options: told) { _, change in
          if let value = change.newValue ?? change.oldValue { receiver.receive(value) }
        }
      }

      /// A publisher that publishes `()` for each value of this one.
      public func didChange() -> Publishers.Map<Self, Void> { map { _ in () } }
    }
  }

  extension NSKeyValueObservation.Observable {
    /// A publisher of the values of the property at `keyPath`: by default its current value, then each new one. With `.prior`, also the value before
    /// each change.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
      NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  extension NSObject.KeyValueObservingPublisher: CombinePublisher {}

  /// The object that an observation's handler calls. The protocol hides the subscriber's type, which isn't `Sendable` and must not be captured by the
  /// handler.
  private protocol ValueReceiver<Value>: AnyObject, Sendable {
    associatedtype Value
    func receive(_ value: Value)
  }

  extension JoinSubscription: ValueReceiver {}

  /// Keeps the observation and the observed object alive until it is cancelled or released.
  private final class ObservationSubscription: Subscription {
    private let object: AnyObject
    private let observation: NSKeyValueObservation

    init(object: AnyObject, observation: NSKeyValueObservation) { (self.object, self.observation) = (object, observation) }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() { observation.invalidate() }
  }

  /// The rules of a single source: values are published on demand. If there is no demand, only the latest value waits.
  private struct LatestRules<Value>: JoinRules {
    private var waiting = JoinQueue<Value>()

    mutating func share(of demand: Subscribers.Demand) -> Subscribers.Demand { .none }

    mutating func receive(_ input: Value, limit: Int?) -> Value? { waiting.append(input, limit: limit) }

    mutating func finish(_ index: Int) {}
    mutating func next() -> (output: Value, source: Int?)? { waiting.popFirst().map { ($0, nil) } }
    var isFinished: Bool { false }
  }
#endif
