#if TestKit
  import Foundation
  import URLLoadingSystem

  extension DemoEnvironment {
    func wholeBody() async throws -> [String] {
      let (data, response) = try await session.data(for: URLRequest(url: plain.url("/get?step=1")))
      let http = try ok(response)
      return [
        "\(http.statusCode), \(data.count) bytes of \(http.mimeType ?? "unknown type"), to be kept as \(http.suggestedFilename ?? "-")"
      ]
    }

    func json() async throws -> [String] {
      struct Order: Codable { var item: String, count: Int }
      struct Echo: Decodable { var method: String, body: String, bodyLength: Int }
      var request = URLRequest(url: plain.url("/post"))
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(Order(item: "pear", count: 3))
      let (data, response) = try await session.data(for: request)
      _ = try ok(response)
      let echo = try JSONDecoder().decode(Echo.self, from: data)
      let order = try JSONDecoder().decode(Order.self, from: Data(echo.body.utf8))
      try demand(echo.method == "POST" && order.count == 3, "the server got \(echo.method) with \(echo.body)")
      return ["the server got \(echo.method) with \(echo.bodyLength) bytes: \(order.count) × \(order.item)"]
    }

    func lines() async throws -> [String] {
      let (bytes, response) = try await session.bytes(from: plain.url("/stream/1000"))
      _ = try ok(response)
      var count = 0
      var last = ""
      for try await line in bytes.lines { (count, last) = (count + 1, line) }
      try demand(count == 1000, "\(count) lines instead of 1000")
      return ["\(count) lines, the last of them: \(last)"]
    }

    func cancellation() async throws -> [String] {
      let gate = plain.gate("never")
      let url = plain.url("/delay/never")
      let loading = Task { [session] in try await session.data(from: url) }
      try await gate.reached()
      let begin = Date()
      loading.cancel()
      let error = try await failure { _ = try await loading.value }
      try demand(error.code == .cancelled, DemoStep.text(error))
      return ["ended \(DemoText.duration(Date().timeIntervalSince(begin))) after cancel(), with \(DemoStep.text(error))"]
    }

    func timeout() async throws -> [String] {
      let request = URLRequest(url: plain.url("/delay/never"), timeoutInterval: 0.3)
      let error = try await failure { _ = try await session.data(for: request) }
      try demand(error.code == .timedOut, DemoStep.text(error))
      return [DemoStep.text(error)]
    }

    func localSchemes() async throws -> [String] {
      guard let url = URL(string: "data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==") else { throw DemoFailure("no URL") }
      let (inline, response) = try await session.data(from: url)
      let text = String(decoding: inline, as: UTF8.self)
      try demand(text == "Grüße", "the data: URL has \(text)")
      let file = FileManager.default.temporaryDirectory.appending(path: "url-loading-demo-\(UUID().uuidString).txt")
      try Data("kept on disk".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let (kept, fileResponse) = try await session.data(from: file)
      try demand(kept == Data("kept on disk".utf8), "the file: URL has \(kept.count) bytes")
      return [
        "data: \(response.mimeType ?? "-"), \(response.textEncodingName ?? "-"): \(text)",
        "file: \(fileResponse.mimeType ?? "-"), \(fileResponse.expectedContentLength) bytes: \(String(decoding: kept, as: UTF8.self))",
      ]
    }
  }
#endif
