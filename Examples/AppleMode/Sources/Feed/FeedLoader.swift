import Foundation
import os.log

#if canImport(FoundationNetworking)
  #error("on Apple's platforms Foundation alone has URLSession")
#endif

/// Loads a feed with a session.
public final class FeedLoader {
  private let session: URLSession
  private let log = Logger(subsystem: "org.example.feed", category: "loading")
  private let counter = LoadCounter()

  public init(session: URLSession = .shared) {
    self.session = session
  }

  public var loads: Int { counter.value }

  public func load(_ url: URL) async throws -> Data {
    log.debug("loads \(url, privacy: .public)")
    let (data, response) = try await session.data(from: url)
    guard let http = response as? HTTPURLResponse, http.statusCode == 200 else {
      log.error("failed: \(url.absoluteString, privacy: .private)")
      throw URLError(.badServerResponse)
    }
    counter.increment()
    os_log("%{public}@: %d bytes", log: OSLog(subsystem: "org.example.feed", category: "loading"), type: .info, url.path, data.count)
    return data
  }
}
