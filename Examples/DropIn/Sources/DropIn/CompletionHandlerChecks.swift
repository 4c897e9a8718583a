import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Data tasks with completion handlers.
func completionHandlerChecks(_ checks: Checks) async {
  await checks.check("completion handler gets data and response") {
    let (data, response) = try await load(URLRequest(url: checks.url("bytes/1000")))
    try expect(data?.count, 1000, "length")
    try expect((response as? HTTPURLResponse)?.statusCode, 200, "status")
  }
  await checks.check("status 404 is a response, not an error") {
    let (_, response) = try await load(URLRequest(url: checks.url("status/404")))
    try expect((response as? HTTPURLResponse)?.statusCode, 404, "status")
  }
  await checks.check("POST sends body and header fields") {
    var request = URLRequest(url: checks.url("post"), cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
    request.httpMethod = "POST"
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    request.addValue("one", forHTTPHeaderField: "X-Drop-In")
    request.httpBody = Data("hello".utf8)
    let (data, _) = try await load(request)
    let echo = try JSONDecoder().decode(Echo.self, from: data ?? Data())
    try expect(echo.method, "POST", "method")
    try expect(echo.body, "hello", "body")
    try expect(echo.header("x-drop-in"), "one", "header")
  }
  await checks.check("semaphore wait on a background thread works") {
    let data = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: SynchronousLoad(checks.url("bytes/10")).wait())
      }
    }
    try expect(data?.count, 10, "length")
  }
}

/// A load that a thread waits for.
private final class SynchronousLoad: @unchecked Sendable {
  // @unchecked: the semaphore orders the writing before the reading.
  private let semaphore = DispatchSemaphore(value: 0)
  private var received: Data?

  init(_ url: URL) {
    URLSession.shared.dataTask(with: url) { data, _, _ in
      self.received = data
      self.semaphore.signal()
    }.resume()
  }

  func wait() -> Data? {
    semaphore.wait()
    return received
  }
}

private func load(_ request: URLRequest) async throws -> (Data?, URLResponse?) {
  try await withCheckedThrowingContinuation { continuation in
    let task = URLSession.shared.dataTask(with: request) { data, response, error in
      if let error = error { continuation.resume(throwing: error) } else { continuation.resume(returning: (data, response)) }
    }
    task.resume()
  }
}
