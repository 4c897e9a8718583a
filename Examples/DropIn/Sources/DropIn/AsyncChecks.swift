import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Refuses redirects; used as the delegate of one task.
final class RedirectStopper: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // @unchecked: no state.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
  ) async -> URLRequest? {
    nil
  }
}

/// The async API.
func asyncChecks(_ checks: Checks) async {
  await checks.check("data(for:) returns data and response") {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Session": "yes"]
    let session = URLSession(configuration: configuration)
    let (data, response) = try await session.data(for: URLRequest(url: checks.url("headers")))
    try expect((response as? HTTPURLResponse)?.statusCode, 200, "status")
    try expect(try JSONDecoder().decode(Echo.self, from: data).header("X-Session"), "yes", "header of the configuration")
  }
  await checks.check("data(from:) decodes gzip") {
    let (data, _) = try await URLSession.shared.data(from: checks.url("gzip"))
    _ = try JSONSerialization.jsonObject(with: data)
  }
  await checks.check("bytes.lines delivers every line") {
    let (bytes, _) = try await URLSession.shared.bytes(from: checks.url("stream/25"))
    var count = 0
    for try await line in bytes.lines where line.hasPrefix("{") { count += 1 }
    try expect(count, 25, "lines")
  }
  await checks.check("async delegate of one task stops a redirect") {
    let (_, response) = try await URLSession.shared.data(from: checks.url("redirect/1"), delegate: RedirectStopper())
    try expect((response as? HTTPURLResponse)?.statusCode, 302, "status")
  }
  await checks.check("loads in a task group run side by side") {
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for count in 1...20 {
        group.addTask { try await URLSession.shared.data(from: checks.url("bytes/\(count)")).0.count }
      }
      return try await group.reduce(0, +)
    }
    try expect(total, 210, "bytes")
  }
}
