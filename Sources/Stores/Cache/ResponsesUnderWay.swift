import Foundation

/// The responses that a cache is receiving. If the cache's content is removed meanwhile, these are affected too: they were requested before the
/// removal, and aren't stored when they are complete. A value in `CacheState`.
struct ResponsesUnderWay {
  private struct Entry {
    let url: String
    let responseTime: Date
  }

  private var entries: [Int64: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  mutating func begin(_ response: StoredResponse) {
    entries[response.id] = Entry(url: response.url, responseTime: response.responseTime)
  }

  /// The response is complete, or was given up. Returns whether it may still be stored.
  mutating func end(_ id: Int64) -> Bool { entries.removeValue(forKey: id) != nil }

  mutating func remove(url: String) { remove { $0.url == url } }
  mutating func remove(after date: Date) { remove { $0.responseTime > date } }
  mutating func removeAll() { entries.removeAll() }

  private mutating func remove(_ isCovered: (Entry) -> Bool) {
    for (id, entry) in entries where isCovered(entry) { entries[id] = nil }
  }
}
