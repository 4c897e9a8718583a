#if Combine
  import OpenCombine

  /// The namespace of the publishers' types: type aliases of OpenCombine's, and types of this module.
  ///
  /// It replaces OpenCombine's namespace of the same name. A type of this module, such as `Merge`, that were added to OpenCombine's namespace would
  /// be ambiguous with OpenCombine's type of the same name.
  public enum Publishers {
    /// The publisher of the operator `allSatisfy(_:)`, from OpenCombine.
    public typealias AllSatisfy = OpenCombine.Publishers.AllSatisfy
    /// The publisher of the operator `assertNoFailure(_:file:line:)`, from OpenCombine.
    public typealias AssertNoFailure = OpenCombine.Publishers.AssertNoFailure
    /// The publisher of the operator `autoconnect()`, from OpenCombine.
    public typealias Autoconnect = OpenCombine.Publishers.Autoconnect
    /// The publisher of the operator `breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)`, from OpenCombine.
    public typealias Breakpoint = OpenCombine.Publishers.Breakpoint
    /// The publisher of the operator `buffer(size:prefetch:whenFull:)`, from OpenCombine.
    public typealias Buffer = OpenCombine.Publishers.Buffer
    /// What `buffer(size:prefetch:whenFull:)` does with a value when the buffer is full, from OpenCombine.
    public typealias BufferingStrategy = OpenCombine.Publishers.BufferingStrategy
    /// The publisher of the operator `catch(_:)`, from OpenCombine.
    public typealias Catch = OpenCombine.Publishers.Catch
    /// The publisher of the operator `collect()`, from OpenCombine.
    public typealias Collect = OpenCombine.Publishers.Collect
    /// The publisher of the operator `collect(_:)`, from OpenCombine.
    public typealias CollectByCount = OpenCombine.Publishers.CollectByCount
    /// The publisher of the operator `compactMap(_:)`, from OpenCombine.
    public typealias CompactMap = OpenCombine.Publishers.CompactMap
    /// The publisher of the operators `min(by:)` and `max(by:)`, from OpenCombine.
    public typealias Comparison = OpenCombine.Publishers.Comparison
    /// The publisher of the operators `append(_:)` and `prepend(_:)`, from OpenCombine.
    public typealias Concatenate = OpenCombine.Publishers.Concatenate
    /// The publisher of the operator `contains(_:)`, from OpenCombine.
    public typealias Contains = OpenCombine.Publishers.Contains
    /// The publisher of the operator `contains(where:)`, from OpenCombine.
    public typealias ContainsWhere = OpenCombine.Publishers.ContainsWhere
    /// The publisher of the operator `count()`, from OpenCombine.
    public typealias Count = OpenCombine.Publishers.Count
    /// The publisher of the operator `debounce(for:scheduler:options:)`, from OpenCombine.
    public typealias Debounce = OpenCombine.Publishers.Debounce
    /// The publisher of the operator `decode(type:decoder:)`, from OpenCombine.
    public typealias Decode = OpenCombine.Publishers.Decode
    /// The publisher of the operator `delay(for:tolerance:scheduler:options:)`, from OpenCombine.
    public typealias Delay = OpenCombine.Publishers.Delay
    /// The publisher of the operator `dropFirst(_:)`, from OpenCombine.
    public typealias Drop = OpenCombine.Publishers.Drop
    /// The publisher of the operator `drop(untilOutputFrom:)`, from OpenCombine.
    public typealias DropUntilOutput = OpenCombine.Publishers.DropUntilOutput
    /// The publisher of the operator `drop(while:)`, from OpenCombine.
    public typealias DropWhile = OpenCombine.Publishers.DropWhile
    /// The publisher of the operator `encode(encoder:)`, from OpenCombine.
    public typealias Encode = OpenCombine.Publishers.Encode
    /// The publisher of the operator `filter(_:)`, from OpenCombine.
    public typealias Filter = OpenCombine.Publishers.Filter
    /// The publisher of the operator `first()`, from OpenCombine.
    public typealias First = OpenCombine.Publishers.First
    /// The publisher of the operator `first(where:)`, from OpenCombine.
    public typealias FirstWhere = OpenCombine.Publishers.FirstWhere
    /// The publisher of the operator `flatMap(maxPublishers:_:)`, from OpenCombine.
    public typealias FlatMap = OpenCombine.Publishers.FlatMap
    /// The publisher of the operator `handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)`, from
    /// OpenCombine.
    public typealias HandleEvents = OpenCombine.Publishers.HandleEvents
    /// The publisher of the operator `ignoreOutput()`, from OpenCombine.
    public typealias IgnoreOutput = OpenCombine.Publishers.IgnoreOutput
    /// The publisher of the operator `last()`, from OpenCombine.
    public typealias Last = OpenCombine.Publishers.Last
    /// The publisher of the operator `last(where:)`, from OpenCombine.
    public typealias LastWhere = OpenCombine.Publishers.LastWhere
    /// The publisher of the operator `makeConnectable()`, from OpenCombine.
    public typealias MakeConnectable = OpenCombine.Publishers.MakeConnectable
    /// The publisher of the operator `map(_:)`, from OpenCombine.
    public typealias Map = OpenCombine.Publishers.Map
    /// The publisher of the operator `mapError(_:)`, from OpenCombine.
    public typealias MapError = OpenCombine.Publishers.MapError
    /// The publisher of the operator `map(_:)` with one key path, from OpenCombine.
    public typealias MapKeyPath = OpenCombine.Publishers.MapKeyPath
    /// The publisher of the operator `map(_:_:)` with two key paths, from OpenCombine.
    public typealias MapKeyPath2 = OpenCombine.Publishers.MapKeyPath2
    /// The publisher of the operator `map(_:_:_:)` with three key paths, from OpenCombine.
    public typealias MapKeyPath3 = OpenCombine.Publishers.MapKeyPath3
    /// The publisher of the operator `measureInterval(using:options:)`, from OpenCombine.
    public typealias MeasureInterval = OpenCombine.Publishers.MeasureInterval
    /// The publisher of the operator `multicast(_:)`, from OpenCombine.
    public typealias Multicast = OpenCombine.Publishers.Multicast
    /// The publisher of the operators `output(at:)`, `output(in:)` and `prefix(_:)`, from OpenCombine.
    public typealias Output = OpenCombine.Publishers.Output
    /// How `buffer(size:prefetch:whenFull:)` requests values from its upstream, from OpenCombine.
    public typealias PrefetchStrategy = OpenCombine.Publishers.PrefetchStrategy
    /// The publisher of the operator `prefix(untilOutputFrom:)`, from OpenCombine.
    public typealias PrefixUntilOutput = OpenCombine.Publishers.PrefixUntilOutput
    /// The publisher of the operator `prefix(while:)`, from OpenCombine.
    public typealias PrefixWhile = OpenCombine.Publishers.PrefixWhile
    /// The publisher of the operator `print(_:to:)`, from OpenCombine.
    public typealias Print = OpenCombine.Publishers.Print
    /// The publisher of the operator `reduce(_:_:)`, from OpenCombine.
    public typealias Reduce = OpenCombine.Publishers.Reduce
    /// The publisher of the operator `removeDuplicates(by:)`, from OpenCombine.
    public typealias RemoveDuplicates = OpenCombine.Publishers.RemoveDuplicates
    /// The publisher of the operator `replaceEmpty(with:)`, from OpenCombine.
    public typealias ReplaceEmpty = OpenCombine.Publishers.ReplaceEmpty
    /// The publisher of the operator `replaceError(with:)`, from OpenCombine.
    public typealias ReplaceError = OpenCombine.Publishers.ReplaceError
    /// The publisher of the operator `retry(_:)`, from OpenCombine.
    public typealias Retry = OpenCombine.Publishers.Retry
    /// The publisher of the operator `scan(_:_:)`, from OpenCombine.
    public typealias Scan = OpenCombine.Publishers.Scan
    /// The publisher of the elements of a sequence (`Sequence.publisher`), from OpenCombine.
    public typealias Sequence = OpenCombine.Publishers.Sequence
    /// The publisher of the operator `setFailureType(to:)`, from OpenCombine.
    public typealias SetFailureType = OpenCombine.Publishers.SetFailureType
    /// The publisher of the operator `share()`, from OpenCombine.
    public typealias Share = OpenCombine.Publishers.Share
    /// The publisher of the operator `subscribe(on:options:)`, from OpenCombine.
    public typealias SubscribeOn = OpenCombine.Publishers.SubscribeOn
    /// The publisher of the operator `switchToLatest()`, from OpenCombine.
    public typealias SwitchToLatest = OpenCombine.Publishers.SwitchToLatest
    /// The publisher of the operator `throttle(for:scheduler:latest:)`, from OpenCombine.
    public typealias Throttle = OpenCombine.Publishers.Throttle
    /// The publisher of the operator `timeout(_:scheduler:options:customError:)`, from OpenCombine.
    public typealias Timeout = OpenCombine.Publishers.Timeout
    /// The publisher of the operator `tryAllSatisfy(_:)`, from OpenCombine.
    public typealias TryAllSatisfy = OpenCombine.Publishers.TryAllSatisfy
    /// The publisher of the operator `tryCatch(_:)`, from OpenCombine.
    public typealias TryCatch = OpenCombine.Publishers.TryCatch
    /// The publisher of the operator `tryCompactMap(_:)`, from OpenCombine.
    public typealias TryCompactMap = OpenCombine.Publishers.TryCompactMap
    /// The publisher of the operators `tryMin(by:)` and `tryMax(by:)`, from OpenCombine.
    public typealias TryComparison = OpenCombine.Publishers.TryComparison
    /// The publisher of the operator `tryContains(where:)`, from OpenCombine.
    public typealias TryContainsWhere = OpenCombine.Publishers.TryContainsWhere
    /// The publisher of the operator `tryDrop(while:)`, from OpenCombine.
    public typealias TryDropWhile = OpenCombine.Publishers.TryDropWhile
    /// The publisher of the operator `tryFilter(_:)`, from OpenCombine.
    public typealias TryFilter = OpenCombine.Publishers.TryFilter
    /// The publisher of the operator `tryFirst(where:)`, from OpenCombine.
    public typealias TryFirstWhere = OpenCombine.Publishers.TryFirstWhere
    /// The publisher of the operator `tryLast(where:)`, from OpenCombine.
    public typealias TryLastWhere = OpenCombine.Publishers.TryLastWhere
    /// The publisher of the operator `tryMap(_:)`, from OpenCombine.
    public typealias TryMap = OpenCombine.Publishers.TryMap
    /// The publisher of the operator `tryPrefix(while:)`, from OpenCombine.
    public typealias TryPrefixWhile = OpenCombine.Publishers.TryPrefixWhile
    /// The publisher of the operator `tryReduce(_:_:)`, from OpenCombine.
    public typealias TryReduce = OpenCombine.Publishers.TryReduce
    /// The publisher of the operator `tryRemoveDuplicates(by:)`, from OpenCombine.
    public typealias TryRemoveDuplicates = OpenCombine.Publishers.TryRemoveDuplicates
    /// The publisher of the operator `tryScan(_:_:)`, from OpenCombine.
    public typealias TryScan = OpenCombine.Publishers.TryScan
  }
#endif
