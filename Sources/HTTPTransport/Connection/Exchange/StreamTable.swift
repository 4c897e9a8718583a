/// A stream of a connection that carries many exchanges.
protocol NumberedStream: AnyObject {
  associatedtype ID: FixedWidthInteger
  var id: ID { get }
}

/// The streams that are open, in the order of their ids, which is the order in which they began.
struct StreamTable<Stream: NumberedStream> {
  private var ids: [Stream.ID] = []
  private(set) var streams: [Stream] = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }

  subscript(id: Stream.ID) -> Stream? {
    let index = index(of: id)
    return index < ids.count && ids[index] == id ? streams[index] : nil
  }

  /// The first index whose id isn't below `id`.
  private func index(of id: Stream.ID) -> Int {
    var low = 0
    var high = ids.count
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a stream whose id is above all others.
  mutating func append(_ stream: Stream) {
    ids.append(stream.id)
    streams.append(stream)
  }

  mutating func remove(_ id: Stream.ID) {
    let index = index(of: id)
    guard index < ids.count, ids[index] == id else { return }
    ids.remove(at: index)
    streams.remove(at: index)
  }

  /// The streams with ids from `first` on.
  func from(_ first: Stream.ID) -> ArraySlice<Stream> { streams[index(of: first)...] }

  /// Takes away the streams above `id`.
  mutating func removeAbove(_ id: Stream.ID) -> [Stream] {
    guard id < .max else { return [] }
    let start = index(of: id + 1)
    let removed = Array(streams[start...])
    ids.removeSubrange(start...)
    streams.removeSubrange(start...)
    return removed
  }

  mutating func removeAll() -> [Stream] {
    let removed = streams
    ids = []
    streams = []
    return removed
  }
}
