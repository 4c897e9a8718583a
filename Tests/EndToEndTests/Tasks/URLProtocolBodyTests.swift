import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a `URLProtocol` can read of a request's body.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolBodyTests {
  private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

  private func session() -> URLSession {
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [BodyReadingProtocol.self]
    return URLSession(configuration: configuration)
  }

  private func request(_ label: String, _ body: Data? = nil) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "bodies://\(label)/")))
    request.httpMethod = "POST"
    request.httpBody = body
    return request
  }

  @Test func bodyOfDataIsWholeAtEachReadInCanInitAndStartLoading() async throws {
    let session = session()
    let request = try request("data", URLProtocolBodyTests.content)
    _ = try await session.data(for: request)
    let seen = BodyReadingProtocol.reads("data")
    #expect(seen.streams == Array(repeating: URLProtocolBodyTests.content, count: 8))
    #expect(seen.bodies == Array(repeating: URLProtocolBodyTests.content, count: 4))
    session.invalidateAndCancel()
  }

  @Test func bodyOfADataUploadIsWholeAtEachRead() async throws {
    let session = session()
    _ = try await session.upload(for: try request("upload"), from: URLProtocolBodyTests.content)
    let seen = BodyReadingProtocol.reads("upload")
    #expect(seen.streams == Array(repeating: URLProtocolBodyTests.content, count: 8))
    #expect(seen.bodies == Array(repeating: URLProtocolBodyTests.content, count: 4))
    session.invalidateAndCancel()
  }

  @Test func bodyOfAFileUploadIsWholeAtEachRead() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
    try URLProtocolBodyTests.content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let session = session()
    _ = try await session.upload(for: try request("file"), fromFile: file)
    let seen = BodyReadingProtocol.reads("file")
    #expect(seen.streams == Array(repeating: URLProtocolBodyTests.content, count: 8))
    #expect(seen.bodies == [nil, nil, nil, nil])
    session.invalidateAndCancel()
  }

  @Test func requestOfAProtocolCanBeSentOn() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("sent on"))
      var request = try request("forward", Data("to be sent on".utf8))
      request.setValue(server.url("/target").absoluteString, forHTTPHeaderField: "X-Forward")
      let session = session()
      #expect(try await session.data(for: request).0 == Data("sent on".utf8))
      #expect(server.requests.map(\.text) == ["to be sent on"])
      session.invalidateAndCancel()
    }
  }

  @Test func changedBodyReplacesTheShownStream() async throws {
    let session = session()
    var request = try request("changed", Data("old".utf8))
    request.setValue("new", forHTTPHeaderField: "X-Replace")
    _ = try await session.data(for: request)
    let seen = BodyReadingProtocol.reads("changed")
    #expect(seen.bodies.last == Data("new".utf8))
    #expect(seen.streams.last == .some(nil))
    session.invalidateAndCancel()
  }
}

/// Reads the body of its request again and again: four times as a stream and twice as data in `canInit`, and the same in `startLoading`.
private final class BodyReadingProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: nothing is stored but what the superclass stores.
  struct Reads: Sendable {
    var streams: [Data?] = []
    var bodies: [Data?] = []
  }

  private static let all = Mutex<[String: Reads]>([:])

  static func reads(_ host: String) -> Reads { all.withLock { $0[host] ?? Reads() } }

  private static func note(_ request: URLRequest) {
    let reads = Reads(
      streams: [
        drain(request.httpBodyStream, closing: true), drain(request.httpBodyStream, closing: false),
        drain(request.httpBodyStream, closing: false, reading: 100_000), drain(request.httpBodyStream, closing: true),
      ], bodies: [request.httpBody, request.httpBody])
    all.withLock { all in
      let before = all[request.url?.host ?? "", default: Reads()]
      all[request.url?.host ?? ""] = Reads(streams: before.streams + reads.streams, bodies: before.bodies + reads.bodies)
    }
  }

  /// What a stream gives until its end, or up to `reading` bytes of it.
  private static func drain(_ stream: InputStream?, closing: Bool, reading limit: Int = .max) -> Data? {
    guard let stream else { return nil }
    stream.open()
    defer { if closing { stream.close() } }
    var (result, buffer) = (Data(), [UInt8](repeating: 0, count: 10_000))
    while result.count < limit {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { break }
      result.append(contentsOf: buffer.prefix(count))
    }
    return result
  }

  override class func canInit(with request: URLRequest) -> Bool {
    guard request.url?.scheme == "bodies" else { return false }
    note(request)
    return true
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest {
    guard let body = request.value(forHTTPHeaderField: "X-Replace") else { return request }
    var changed = request
    changed.httpBody = Data(body.utf8)
    return changed
  }

  override func startLoading() {
    BodyReadingProtocol.note(request)
    guard let target = request.value(forHTTPHeaderField: "X-Forward").flatMap({ URL(string: $0) }) else { return finish(Data()) }
    var forwarded = request
    forwarded.url = target
    let session = URLSession(configuration: .testing())
    session.dataTask(with: forwarded) { [self] data, _, error in
      session.finishTasksAndInvalidate()
      if let error { client?.urlProtocol(self, didFailWithError: error) } else { finish(data ?? Data()) }
    }.resume()
  }

  override func stopLoading() {}

  private func finish(_ body: Data) {
    guard let url = request.url else { return }
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: body.count, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: body)
    client?.urlProtocolDidFinishLoading(self)
  }
}
