/// The streams that are open, in the order of their ids, which is the order in which they began.
struct HTTP2StreamTable {
  private var ids: [Int32] = []
  private(set) var streams: [HTTP2Stream] = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }

  subscript(id: Int32) -> HTTP2Stream? {
    let index = index(of: id)
    return index < ids.count && ids[index] == id ? streams[index] : nil
  }

  /// The first index whose id isn't below `id`.
  private func index(of id: Int32) -> Int {
    var low = 0
    var high = ids.count
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a stream whose id is above all others.
  mutating func append(_ stream: HTTP2Stream) {
    ids.append(stream.id)
    streams.append(stream)
  }

  mutating func remove(_ id: Int32) {
    let index = index(of: id)
    guard index < ids.count, ids[index] == id else { return }
    ids.remove(at: index)
    streams.remove(at: index)
  }

  /// Takes away the streams above `id`.
  mutating func removeAbove(_ id: Int32) -> [HTTP2Stream] {
    guard id < .max else { return [] }
    let start = index(of: id + 1)
    let removed = Array(streams[start...])
    ids.removeSubrange(start...)
    streams.removeSubrange(start...)
    return removed
  }

  mutating func removeAll() -> [HTTP2Stream] {
    let removed = streams
    ids = []
    streams = []
    return removed
  }
}
