import Foundation
import URLLoadingSystem

/// How a load that may take too long ended.
public enum TimedOutcome: Equatable, Sendable {
  case loaded(bytes: Int)
  case timedOut
}

/// Loads a URL, giving up after so many seconds without data.
public func load(_ url: URL, idleLimit seconds: TimeInterval) async throws -> TimedOutcome {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.timeoutIntervalForResource = 60
  let session = URLSession(configuration: configuration)
  defer { session.finishTasksAndInvalidate() }
  do {
    let (data, _) = try await session.data(for: URLRequest(url: url, timeoutInterval: seconds))
    return .loaded(bytes: data.count)
  } catch URLError.timedOut {
    return .timedOut
  }
}
