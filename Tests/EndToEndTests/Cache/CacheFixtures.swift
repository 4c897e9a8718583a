import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A session with a cache in memory, on a clock that tests move.
struct CacheScene: Sendable {
  let clock = ManualClock()
  let session: URLSession
  let cache: URLCache

  init(
    _ server: TestServer, cache: URLCache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0), delegate: (any URLSessionDelegate)? = nil,
    configuration: URLSessionConfiguration = .testing(), _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) {
    configuration.use(clock)
    configuration.urlCache = cache
    change(configuration)
    self.cache = cache
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  struct Answer: Sendable {
    var text: String
    var response: HTTPURLResponse
    subscript(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
  }

  func load(_ request: URLRequest) async throws -> Answer {
    let (data, response) = try await session.data(for: request)
    return Answer(text: String(decoding: data, as: UTF8.self), response: try #require(response as? HTTPURLResponse))
  }

  func load(
    _ url: URL, _ fields: HeaderList = [:], method: String = "GET", policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) async throws -> Answer {
    var request = URLRequest(url: url, cachePolicy: policy)
    request.httpMethod = method
    for (name, value) in fields { request.addValue(value, forHTTPHeaderField: name) }
    return try await load(request)
  }

  /// Loads with a delegate of its own, and returns what that was told.
  func record(_ request: URLRequest) async throws -> DelegateRecorder {
    let recorder = DelegateRecorder()
    let task = session.dataTask(with: request)
    task.delegate = recorder
    task.resume()
    if let error = await recorder.completion(of: task) { throw error }
    return recorder
  }

  /// Runs `body` over HTTP/1.1, and once more over HTTP/2, each with a cache and a delegate of its own.
  static func with(
    over wires: [Wire] = [.plain] + Wire.multiplexed,
    cache: @autoclosure () -> URLCache = URLCache(memoryCapacity: 4_000_000, diskCapacity: 0),
    delegate: @autoclosure () -> (any URLSessionDelegate)? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (TestServer, CacheScene) async throws -> Void
  ) async throws {
    for wire in wires {
      try await wire.serve { server, configuration async throws in
        let scene = CacheScene(server, cache: cache(), delegate: delegate(), configuration: configuration, change)
        defer { scene.session.invalidateAndCancel() }
        try await body(server, scene)
      }
    }
  }
}

extension Reply {
  /// A text with header fields.
  static func fields(_ text: String, _ headers: HeaderList, status: Int = 200) -> Reply {
    Reply(status, headers: headers, body: .text(text))
  }
}

/// `seconds` from now as HTTP writes it.
func httpDate(_ seconds: Double = 0) -> String {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(identifier: "GMT")
  formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
  return formatter.string(from: Date(timeIntervalSinceNow: seconds))
}
