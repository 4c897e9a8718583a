#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  /// The publishers whose `zip` is this module's: every one of Combine's own.
  ///
  /// OpenCombine 0.14 has a `zip` whose upstreams don't keep it, so that one which sends its end on another thread, or after its last value, stops the
  /// process. It can't be replaced where `Self` is just any `Publisher`: both would fit equally well. A protocol below `Publisher` makes this
  /// module's the closer one. An app's own publisher gets the same by conforming to it, or by `eraseToAnyPublisher()`.
  public protocol JoinablePublisher: Publisher {}

  extension AnyPublisher: JoinablePublisher {}
  extension CurrentValueSubject: JoinablePublisher {}
  extension PassthroughSubject: JoinablePublisher {}
  extension Deferred: JoinablePublisher {}
  extension Empty: JoinablePublisher {}
  extension Fail: JoinablePublisher {}
  extension Future: JoinablePublisher {}
  extension Just: JoinablePublisher {}
  extension Record: JoinablePublisher {}
  extension ObservableObjectPublisher: JoinablePublisher {}
  extension Published.Publisher: JoinablePublisher {}
  extension Result.OCombine.Publisher: JoinablePublisher {}
  extension Optional.OCombine.Publisher: JoinablePublisher {}
  extension Publishers.Zip: JoinablePublisher {}
  extension Publishers.Zip3: JoinablePublisher {}
  extension Publishers.Zip4: JoinablePublisher {}
  extension Publishers.CombineLatest: JoinablePublisher {}
  extension Publishers.CombineLatest3: JoinablePublisher {}
  extension Publishers.CombineLatest4: JoinablePublisher {}
  extension Publishers.MergeMany: JoinablePublisher {}
  extension Publishers.Merge: JoinablePublisher {}
  extension Publishers.Merge3: JoinablePublisher {}
  extension Publishers.Merge4: JoinablePublisher {}
  extension Publishers.Merge5: JoinablePublisher {}
  extension Publishers.Merge6: JoinablePublisher {}
  extension Publishers.Merge7: JoinablePublisher {}
  extension Publishers.Merge8: JoinablePublisher {}
  extension Publishers.AllSatisfy: JoinablePublisher {}
  extension Publishers.AssertNoFailure: JoinablePublisher {}
  extension Publishers.Autoconnect: JoinablePublisher {}
  extension Publishers.Breakpoint: JoinablePublisher {}
  extension Publishers.Buffer: JoinablePublisher {}
  extension Publishers.Catch: JoinablePublisher {}
  extension Publishers.Collect: JoinablePublisher {}
  extension Publishers.CollectByCount: JoinablePublisher {}
  extension Publishers.CompactMap: JoinablePublisher {}
  extension Publishers.Comparison: JoinablePublisher {}
  extension Publishers.Concatenate: JoinablePublisher {}
  extension Publishers.Contains: JoinablePublisher {}
  extension Publishers.ContainsWhere: JoinablePublisher {}
  extension Publishers.Count: JoinablePublisher {}
  extension Publishers.Debounce: JoinablePublisher {}
  extension Publishers.Decode: JoinablePublisher {}
  extension Publishers.Delay: JoinablePublisher {}
  extension Publishers.Drop: JoinablePublisher {}
  extension Publishers.DropUntilOutput: JoinablePublisher {}
  extension Publishers.DropWhile: JoinablePublisher {}
  extension Publishers.Encode: JoinablePublisher {}
  extension Publishers.Filter: JoinablePublisher {}
  extension Publishers.First: JoinablePublisher {}
  extension Publishers.FirstWhere: JoinablePublisher {}
  extension Publishers.FlatMap: JoinablePublisher {}
  extension Publishers.HandleEvents: JoinablePublisher {}
  extension Publishers.IgnoreOutput: JoinablePublisher {}
  extension Publishers.Last: JoinablePublisher {}
  extension Publishers.LastWhere: JoinablePublisher {}
  extension Publishers.MakeConnectable: JoinablePublisher {}
  extension Publishers.Map: JoinablePublisher {}
  extension Publishers.MapError: JoinablePublisher {}
  extension Publishers.MapKeyPath: JoinablePublisher {}
  extension Publishers.MapKeyPath2: JoinablePublisher {}
  extension Publishers.MapKeyPath3: JoinablePublisher {}
  extension Publishers.MeasureInterval: JoinablePublisher {}
  extension Publishers.Multicast: JoinablePublisher {}
  extension Publishers.Output: JoinablePublisher {}
  extension Publishers.PrefixUntilOutput: JoinablePublisher {}
  extension Publishers.PrefixWhile: JoinablePublisher {}
  extension Publishers.Print: JoinablePublisher {}
  extension Publishers.ReceiveOn: JoinablePublisher {}
  extension Publishers.Reduce: JoinablePublisher {}
  extension Publishers.RemoveDuplicates: JoinablePublisher {}
  extension Publishers.ReplaceEmpty: JoinablePublisher {}
  extension Publishers.ReplaceError: JoinablePublisher {}
  extension Publishers.Retry: JoinablePublisher {}
  extension Publishers.Scan: JoinablePublisher {}
  extension Publishers.Sequence: JoinablePublisher {}
  extension Publishers.SetFailureType: JoinablePublisher {}
  extension Publishers.Share: JoinablePublisher {}
  extension Publishers.SubscribeOn: JoinablePublisher {}
  extension Publishers.SwitchToLatest: JoinablePublisher {}
  extension Publishers.Throttle: JoinablePublisher {}
  extension Publishers.Timeout: JoinablePublisher {}
  extension Publishers.TryAllSatisfy: JoinablePublisher {}
  extension Publishers.TryCatch: JoinablePublisher {}
  extension Publishers.TryCompactMap: JoinablePublisher {}
  extension Publishers.TryComparison: JoinablePublisher {}
  extension Publishers.TryContainsWhere: JoinablePublisher {}
  extension Publishers.TryDropWhile: JoinablePublisher {}
  extension Publishers.TryFilter: JoinablePublisher {}
  extension Publishers.TryFirstWhere: JoinablePublisher {}
  extension Publishers.TryLastWhere: JoinablePublisher {}
  extension Publishers.TryMap: JoinablePublisher {}
  extension Publishers.TryPrefixWhile: JoinablePublisher {}
  extension Publishers.TryReduce: JoinablePublisher {}
  extension Publishers.TryRemoveDuplicates: JoinablePublisher {}
  extension Publishers.TryScan: JoinablePublisher {}
  extension URLSession.DataTaskPublisher: JoinablePublisher {}
  extension NotificationCenter.Publisher: JoinablePublisher {}
  extension Timer.TimerPublisher: JoinablePublisher {}
#endif
