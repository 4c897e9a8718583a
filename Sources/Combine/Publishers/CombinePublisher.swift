#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  /// The publishers that use this module's `zip` and `receive(on:)`: all of Combine's own.
  ///
  /// OpenCombine 0.14 has a `zip` that its upstreams don't keep alive, so that an upstream that finishes on another thread, or after its last value,
  /// crashes the process; and a `receive(on:)` that loses values on concurrent queues, where the completion may overtake them. An extension of
  /// `Publisher` can't replace these methods, because calls would be ambiguous. Methods in an extension of this refined protocol take precedence over
  /// OpenCombine's. An app's own publisher gets them by conforming to this protocol, or by `eraseToAnyPublisher()`.
  public protocol CombinePublisher: Publisher {}

  extension AnyPublisher: CombinePublisher {}
  extension CurrentValueSubject: CombinePublisher {}
  extension PassthroughSubject: CombinePublisher {}
  extension Deferred: CombinePublisher {}
  extension Empty: CombinePublisher {}
  extension Fail: CombinePublisher {}
  extension Future: CombinePublisher {}
  extension Just: CombinePublisher {}
  extension Record: CombinePublisher {}
  extension ObservableObjectPublisher: CombinePublisher {}
  extension Published.Publisher: CombinePublisher {}
  extension Result.OCombine.Publisher: CombinePublisher {}
  extension Optional.OCombine.Publisher: CombinePublisher {}
  extension Publishers.Zip: CombinePublisher {}
  extension Publishers.Zip3: CombinePublisher {}
  extension Publishers.Zip4: CombinePublisher {}
  extension Publishers.CombineLatest: CombinePublisher {}
  extension Publishers.CombineLatest3: CombinePublisher {}
  extension Publishers.CombineLatest4: CombinePublisher {}
  extension Publishers.MergeMany: CombinePublisher {}
  extension Publishers.Merge: CombinePublisher {}
  extension Publishers.Merge3: CombinePublisher {}
  extension Publishers.Merge4: CombinePublisher {}
  extension Publishers.Merge5: CombinePublisher {}
  extension Publishers.Merge6: CombinePublisher {}
  extension Publishers.Merge7: CombinePublisher {}
  extension Publishers.Merge8: CombinePublisher {}
  extension Publishers.AllSatisfy: CombinePublisher {}
  extension Publishers.AssertNoFailure: CombinePublisher {}
  extension Publishers.Autoconnect: CombinePublisher {}
  extension Publishers.Breakpoint: CombinePublisher {}
  extension Publishers.Buffer: CombinePublisher {}
  extension Publishers.Catch: CombinePublisher {}
  extension Publishers.Collect: CombinePublisher {}
  extension Publishers.CollectByCount: CombinePublisher {}
  extension Publishers.CompactMap: CombinePublisher {}
  extension Publishers.Comparison: CombinePublisher {}
  extension Publishers.Concatenate: CombinePublisher {}
  extension Publishers.Contains: CombinePublisher {}
  extension Publishers.ContainsWhere: CombinePublisher {}
  extension Publishers.Count: CombinePublisher {}
  extension Publishers.Debounce: CombinePublisher {}
  extension Publishers.Decode: CombinePublisher {}
  extension Publishers.Delay: CombinePublisher {}
  extension Publishers.Drop: CombinePublisher {}
  extension Publishers.DropUntilOutput: CombinePublisher {}
  extension Publishers.DropWhile: CombinePublisher {}
  extension Publishers.Encode: CombinePublisher {}
  extension Publishers.Filter: CombinePublisher {}
  extension Publishers.First: CombinePublisher {}
  extension Publishers.FirstWhere: CombinePublisher {}
  extension Publishers.FlatMap: CombinePublisher {}
  extension Publishers.HandleEvents: CombinePublisher {}
  extension Publishers.IgnoreOutput: CombinePublisher {}
  extension Publishers.Last: CombinePublisher {}
  extension Publishers.LastWhere: CombinePublisher {}
  extension Publishers.MakeConnectable: CombinePublisher {}
  extension Publishers.Map: CombinePublisher {}
  extension Publishers.MapError: CombinePublisher {}
  extension Publishers.MapKeyPath: CombinePublisher {}
  extension Publishers.MapKeyPath2: CombinePublisher {}
  extension Publishers.MapKeyPath3: CombinePublisher {}
  extension Publishers.MeasureInterval: CombinePublisher {}
  extension Publishers.Multicast: CombinePublisher {}
  extension Publishers.Output: CombinePublisher {}
  extension Publishers.PrefixUntilOutput: CombinePublisher {}
  extension Publishers.PrefixWhile: CombinePublisher {}
  extension Publishers.Print: CombinePublisher {}
  extension Publishers.ReceiveOn: CombinePublisher {}
  extension Publishers.Reduce: CombinePublisher {}
  extension Publishers.RemoveDuplicates: CombinePublisher {}
  extension Publishers.ReplaceEmpty: CombinePublisher {}
  extension Publishers.ReplaceError: CombinePublisher {}
  extension Publishers.Retry: CombinePublisher {}
  extension Publishers.Scan: CombinePublisher {}
  extension Publishers.Sequence: CombinePublisher {}
  extension Publishers.SetFailureType: CombinePublisher {}
  extension Publishers.Share: CombinePublisher {}
  extension Publishers.SubscribeOn: CombinePublisher {}
  extension Publishers.SwitchToLatest: CombinePublisher {}
  extension Publishers.Throttle: CombinePublisher {}
  extension Publishers.Timeout: CombinePublisher {}
  extension Publishers.TryAllSatisfy: CombinePublisher {}
  extension Publishers.TryCatch: CombinePublisher {}
  extension Publishers.TryCompactMap: CombinePublisher {}
  extension Publishers.TryComparison: CombinePublisher {}
  extension Publishers.TryContainsWhere: CombinePublisher {}
  extension Publishers.TryDropWhile: CombinePublisher {}
  extension Publishers.TryFilter: CombinePublisher {}
  extension Publishers.TryFirstWhere: CombinePublisher {}
  extension Publishers.TryLastWhere: CombinePublisher {}
  extension Publishers.TryMap: CombinePublisher {}
  extension Publishers.TryPrefixWhile: CombinePublisher {}
  extension Publishers.TryReduce: CombinePublisher {}
  extension Publishers.TryRemoveDuplicates: CombinePublisher {}
  extension Publishers.TryScan: CombinePublisher {}
  extension URLSession.DataTaskPublisher: CombinePublisher {}
  extension NotificationCenter.Publisher: CombinePublisher {}
  extension Timer.TimerPublisher: CombinePublisher {}
#endif
