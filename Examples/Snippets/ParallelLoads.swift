import Foundation
import URLLoadingSystem

/// Loads several URLs side by side, at most four at a time, and keeps their order.
public func loadAll(_ urls: [URL], session: URLSession = .shared) async throws -> [Data] {
  try await withThrowingTaskGroup(of: (Int, Data).self) { group in
    var results = [Data?](repeating: nil, count: urls.count)
    var next = urls.indices.makeIterator()
    func startOne() {
      guard let index = next.next() else { return }
      group.addTask { (index, try await session.data(from: urls[index]).0) }
    }
    for _ in 0..<4 { startOne() }
    while let (index, data) = try await group.next() {
      results[index] = data
      startOne()
    }
    return results.compactMap { $0 }
  }
}
