#if Combine
  import OpenCombine

  /// The types of the publishers that operators make: OpenCombine's, and those that this module has of its own.
  ///
  /// It takes the place of OpenCombine's namespace of the same name, because a type can be this module's only in a namespace of this module: beside one
  /// of the same name in OpenCombine's it would be ambiguous.
  public enum Publishers {
    /// OpenCombine's.
    public typealias AllSatisfy = OpenCombine.Publishers.AllSatisfy
    /// OpenCombine's.
    public typealias AssertNoFailure = OpenCombine.Publishers.AssertNoFailure
    /// OpenCombine's.
    public typealias Autoconnect = OpenCombine.Publishers.Autoconnect
    /// OpenCombine's.
    public typealias Breakpoint = OpenCombine.Publishers.Breakpoint
    /// OpenCombine's.
    public typealias Buffer = OpenCombine.Publishers.Buffer
    /// OpenCombine's.
    public typealias BufferingStrategy = OpenCombine.Publishers.BufferingStrategy
    /// OpenCombine's.
    public typealias Catch = OpenCombine.Publishers.Catch
    /// OpenCombine's.
    public typealias Collect = OpenCombine.Publishers.Collect
    /// OpenCombine's.
    public typealias CollectByCount = OpenCombine.Publishers.CollectByCount
    /// OpenCombine's.
    public typealias CompactMap = OpenCombine.Publishers.CompactMap
    /// OpenCombine's.
    public typealias Comparison = OpenCombine.Publishers.Comparison
    /// OpenCombine's.
    public typealias Concatenate = OpenCombine.Publishers.Concatenate
    /// OpenCombine's.
    public typealias Contains = OpenCombine.Publishers.Contains
    /// OpenCombine's.
    public typealias ContainsWhere = OpenCombine.Publishers.ContainsWhere
    /// OpenCombine's.
    public typealias Count = OpenCombine.Publishers.Count
    /// OpenCombine's.
    public typealias Debounce = OpenCombine.Publishers.Debounce
    /// OpenCombine's.
    public typealias Decode = OpenCombine.Publishers.Decode
    /// OpenCombine's.
    public typealias Delay = OpenCombine.Publishers.Delay
    /// OpenCombine's.
    public typealias Drop = OpenCombine.Publishers.Drop
    /// OpenCombine's.
    public typealias DropUntilOutput = OpenCombine.Publishers.DropUntilOutput
    /// OpenCombine's.
    public typealias DropWhile = OpenCombine.Publishers.DropWhile
    /// OpenCombine's.
    public typealias Encode = OpenCombine.Publishers.Encode
    /// OpenCombine's.
    public typealias Filter = OpenCombine.Publishers.Filter
    /// OpenCombine's.
    public typealias First = OpenCombine.Publishers.First
    /// OpenCombine's.
    public typealias FirstWhere = OpenCombine.Publishers.FirstWhere
    /// OpenCombine's.
    public typealias FlatMap = OpenCombine.Publishers.FlatMap
    /// OpenCombine's.
    public typealias HandleEvents = OpenCombine.Publishers.HandleEvents
    /// OpenCombine's.
    public typealias IgnoreOutput = OpenCombine.Publishers.IgnoreOutput
    /// OpenCombine's.
    public typealias Last = OpenCombine.Publishers.Last
    /// OpenCombine's.
    public typealias LastWhere = OpenCombine.Publishers.LastWhere
    /// OpenCombine's.
    public typealias MakeConnectable = OpenCombine.Publishers.MakeConnectable
    /// OpenCombine's.
    public typealias Map = OpenCombine.Publishers.Map
    /// OpenCombine's.
    public typealias MapError = OpenCombine.Publishers.MapError
    /// OpenCombine's.
    public typealias MapKeyPath = OpenCombine.Publishers.MapKeyPath
    /// OpenCombine's.
    public typealias MapKeyPath2 = OpenCombine.Publishers.MapKeyPath2
    /// OpenCombine's.
    public typealias MapKeyPath3 = OpenCombine.Publishers.MapKeyPath3
    /// OpenCombine's.
    public typealias MeasureInterval = OpenCombine.Publishers.MeasureInterval
    /// OpenCombine's.
    public typealias Multicast = OpenCombine.Publishers.Multicast
    /// OpenCombine's.
    public typealias Output = OpenCombine.Publishers.Output
    /// OpenCombine's.
    public typealias PrefetchStrategy = OpenCombine.Publishers.PrefetchStrategy
    /// OpenCombine's.
    public typealias PrefixUntilOutput = OpenCombine.Publishers.PrefixUntilOutput
    /// OpenCombine's.
    public typealias PrefixWhile = OpenCombine.Publishers.PrefixWhile
    /// OpenCombine's.
    public typealias Print = OpenCombine.Publishers.Print
    /// OpenCombine's.
    public typealias Reduce = OpenCombine.Publishers.Reduce
    /// OpenCombine's.
    public typealias RemoveDuplicates = OpenCombine.Publishers.RemoveDuplicates
    /// OpenCombine's.
    public typealias ReplaceEmpty = OpenCombine.Publishers.ReplaceEmpty
    /// OpenCombine's.
    public typealias ReplaceError = OpenCombine.Publishers.ReplaceError
    /// OpenCombine's.
    public typealias Retry = OpenCombine.Publishers.Retry
    /// OpenCombine's.
    public typealias Scan = OpenCombine.Publishers.Scan
    /// OpenCombine's.
    public typealias Sequence = OpenCombine.Publishers.Sequence
    /// OpenCombine's.
    public typealias SetFailureType = OpenCombine.Publishers.SetFailureType
    /// OpenCombine's.
    public typealias Share = OpenCombine.Publishers.Share
    /// OpenCombine's.
    public typealias SubscribeOn = OpenCombine.Publishers.SubscribeOn
    /// OpenCombine's.
    public typealias SwitchToLatest = OpenCombine.Publishers.SwitchToLatest
    /// OpenCombine's.
    public typealias Throttle = OpenCombine.Publishers.Throttle
    /// OpenCombine's.
    public typealias Timeout = OpenCombine.Publishers.Timeout
    /// OpenCombine's.
    public typealias TryAllSatisfy = OpenCombine.Publishers.TryAllSatisfy
    /// OpenCombine's.
    public typealias TryCatch = OpenCombine.Publishers.TryCatch
    /// OpenCombine's.
    public typealias TryCompactMap = OpenCombine.Publishers.TryCompactMap
    /// OpenCombine's.
    public typealias TryComparison = OpenCombine.Publishers.TryComparison
    /// OpenCombine's.
    public typealias TryContainsWhere = OpenCombine.Publishers.TryContainsWhere
    /// OpenCombine's.
    public typealias TryDropWhile = OpenCombine.Publishers.TryDropWhile
    /// OpenCombine's.
    public typealias TryFilter = OpenCombine.Publishers.TryFilter
    /// OpenCombine's.
    public typealias TryFirstWhere = OpenCombine.Publishers.TryFirstWhere
    /// OpenCombine's.
    public typealias TryLastWhere = OpenCombine.Publishers.TryLastWhere
    /// OpenCombine's.
    public typealias TryMap = OpenCombine.Publishers.TryMap
    /// OpenCombine's.
    public typealias TryPrefixWhile = OpenCombine.Publishers.TryPrefixWhile
    /// OpenCombine's.
    public typealias TryReduce = OpenCombine.Publishers.TryReduce
    /// OpenCombine's.
    public typealias TryRemoveDuplicates = OpenCombine.Publishers.TryRemoveDuplicates
    /// OpenCombine's.
    public typealias TryScan = OpenCombine.Publishers.TryScan
  }
#endif
