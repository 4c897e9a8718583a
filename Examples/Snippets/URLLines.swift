import Foundation
import URLLoadingSystem

/// Reads the remote text at a URL line by line, straight from the URL.
public func countLines(at url: URL, containing word: String) async throws -> Int {
  var count = 0
  for try await line in url.lines where line.contains(word) { count += 1 }
  return count
}
