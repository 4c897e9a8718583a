import Foundation
import URLLoadingSystem

/// An entry of a log.
public struct LogEntry: Decodable, Sendable {
  public let level: String
  public let message: String
}

/// The errors in a log of JSON lines, however long it is.
public func errors(inLogAt url: URL, session: URLSession = .shared) async throws -> [LogEntry] {
  let (bytes, _) = try await session.bytes(from: url)
  var errors: [LogEntry] = []
  for try await entry in bytes.jsonLines(of: LogEntry.self) where entry.level == "error" { errors.append(entry) }
  return errors
}
