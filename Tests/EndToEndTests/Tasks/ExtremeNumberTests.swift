import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Numbers that an app may set by mistake, or compute: none traps, none keeps a load from its end.
@Suite(.timeLimit(.minutes(10))) struct ExtremeNumberTests {
  private static let numbers: [Double] = [
    .nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, -1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    1e18, 1e19, 1e300,
  ]
  private static let integers = [Int.min, -1, 0, 1, Int.max]

  /// Runs loads that wait for each other, with tasks that `adjust` has changed.
  private func loadAll(_ wire: Wire, _ adjust: @escaping @Sendable (URLSessionTask, Int) -> Void) async throws {
    try await wire.serve({ $0.maximumConcurrentStreams = 1 }) { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      server.route("/", reply: .text("ok"))
      let session = URLSession(configuration: configuration)
      let logs = (0..<40).map { _ in CompletionLog() }
      for (index, log) in logs.enumerated() {
        let task = session.dataTask(with: server.url(), completionHandler: log.handler)
        adjust(task, index)
        task.resume()
        adjust(task, index + 1)
      }
      for log in logs { #expect(await log.call().data == Data("ok".utf8)) }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func priorityThatIsNoNumberMeansTheDefault(_ wire: Wire) async throws {
    let task = URLSession.shared.dataTask(with: try #require(URL(string: "http://127.0.0.1/")))
    task.priority = .nan
    #expect(task.priority == URLSessionTask.defaultPriority)
    task.priority = .infinity
    #expect(task.priority == 1)
    try await loadAll(wire) { task, index in task.priority = [.nan, 0.25, .infinity, -.nan, -.infinity, .signalingNaN][index % 6] }
  }

  @Test func countsAndDatesOfATaskHaveNoEffect() async throws {
    try await loadAll(.plain) { task, index in
      let number = ExtremeNumberTests.numbers[index % ExtremeNumberTests.numbers.count]
      let integer = Int64(ExtremeNumberTests.integers[index % ExtremeNumberTests.integers.count])
      task.countOfBytesClientExpectsToSend = integer
      task.countOfBytesClientExpectsToReceive = integer
      task.earliestBeginDate = Date(timeIntervalSince1970: number)
      _ = task.progress.fractionCompleted
    }
  }

  /// A timeout that is no time to wait is none. One that is over at once may fail, in the documented way.
  @Test(arguments: numbers) func timeoutsOfAnyKindEndTheLoad(_ seconds: Double) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      let standard = URLSession(configuration: configuration)
      configuration.timeoutIntervalForRequest = seconds
      configuration.timeoutIntervalForResource = seconds
      let session = URLSession(configuration: configuration)
      var request = URLRequest(url: server.url(), timeoutInterval: seconds)
      _ = [request.hashValue, "\(request)".count, request.debugDescription.count]
      for session in [session, standard] {
        for _ in 0..<2 {
          do {
            let (data, _) = try await session.data(for: request)
            #expect(data == Data("ok".utf8))
          } catch {
            #expect(seconds == .leastNonzeroMagnitude && (error as? URLError)?.code == .timedOut)
          }
          request = URLRequest(url: server.url())
        }
      }
      standard.invalidateAndCancel()
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: integers) func numbersOfConnectionsAndCapacitiesServeLoads(_ number: Int) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      let cache = URLCache(memoryCapacity: number, diskCapacity: number, directory: folder)
      configuration.urlCache = cache
      configuration.httpMaximumConnectionsPerHost = number
      server.route("/", reply: Reply(200, headers: ["Cache-Control": "max-age=600"], body: .text("ok")))
      let session = URLSession(configuration: configuration)
      for _ in 0..<3 { #expect(try await session.data(from: server.url()).0 == Data("ok".utf8)) }
      for other in ExtremeNumberTests.integers {
        cache.memoryCapacity = other
        cache.diskCapacity = other
        cache.storeCachedResponse(ExtremeNumberTests.sample(server.url(), length: other), for: URLRequest(url: server.url()))
        _ = cache.cachedResponse(for: URLRequest(url: server.url()))
        _ = [cache.currentDiskUsage, cache.currentMemoryUsage]
      }
      for number in ExtremeNumberTests.numbers { cache.removeCachedResponses(since: Date(timeIntervalSince1970: number)) }
      session.invalidateAndCancel()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private static func sample(_ url: URL, length: Int) -> CachedURLResponse {
    CachedURLResponse(
      response: URLResponse(url: url, mimeType: nil, expectedContentLength: length, textEncodingName: nil), data: Data("x".utf8))
  }

  @Test(arguments: numbers) func cookiesOfAnyDateAreTaken(_ seconds: Double) async throws {
    let url = try #require(URL(string: "http://example.com/"))
    let date = Date(timeIntervalSince1970: seconds)
    let own: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .path: "/", .domain: "example.com"]
    let kinds: [[HTTPCookiePropertyKey: Any]] = [
      [.expires: date], [.maximumAge: seconds, .version: "1"], [.maximumAge: "\(seconds)", .version: 1],
      [.init("Created"): seconds, .maximumAge: "9223372036854775807", .version: seconds], [.port: "\(Int.max),-1,\(seconds)"],
    ]
    let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
    for kind in kinds {
      guard let cookie = HTTPCookie(properties: own.merging(kind) { $1 }) else { continue }
      #expect(cookie == cookie && cookie.expiresDate?.timeIntervalSince1970.isFinite ?? true)
      _ = [cookie.hash, cookie.description.count, cookie.properties?.count ?? 0]
      storage.setCookie(cookie)
      _ = storage.cookies(for: url)?.count
    }
    _ = storage.sortedCookies(using: [])
    storage.removeCookies(since: date)
  }

  @Test(arguments: numbers, integers) func readsAndWritesOfAStreamEnd(_ seconds: Double, _ number: Int) async throws {
    try await StreamBench.with([.send("hello world"), .read(count: 1)]) { bench async throws in
      bench.task.resume()
      do {
        try await bench.task.write(Data("x".utf8), timeout: seconds)
        let (data, _) = try await bench.task.readData(ofMinLength: min(number, 1), maxLength: number, timeout: seconds)
        #expect(number > 0 && data?.isEmpty == false)
      } catch {
        let error = error as NSError
        let isEmpty = error.domain == NSPOSIXErrorDomain && error.code == Int(EINVAL)
        let isLate = error.domain == NSURLErrorDomain && error.code == URLError.timedOut.rawValue
        #expect(number < 1 && isEmpty || seconds == .leastNonzeroMagnitude && isLate, "\(error)")
      }
    }
  }

  @Test(arguments: integers) func largestMessagesAndPortsAreBounded(_ number: Int) async throws {
    try await WebSocketBench.with(.echo) { bench async throws in
      bench.task.maximumMessageSize = number
      #expect(bench.task.maximumMessageSize == max(0, number))
      bench.task.resume()
      try await bench.task.send(.string(""))
      #expect(try await bench.task.receive().text == "")
      _ = URLProtectionSpace(host: "h", port: number, protocol: "https", realm: nil, authenticationMethod: nil).hash
      _ = HTTPURLResponse.localizedString(forStatusCode: number)
      let stream = bench.session.streamTask(withHostName: "127.0.0.1", port: number == 1 ? 0 : number)
      stream.resume()
      await #expect(throws: (any Error).self) { try await stream.write(Data("x".utf8), timeout: 0) }
    }
  }

  @Test(arguments: integers) func proxiesOfNoPortFailOrServe(_ number: Int) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("ok"))
      for port in [number, Double.nan, Double.infinity, 1e300, NSNumber(value: Double.nan), NSNumber(value: 1e300)] as [Any] {
        configuration.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port]
        let session = URLSession(configuration: configuration)
        do {
          _ = try await session.data(from: server.url())
        } catch {
          #expect(error is URLError)
        }
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: integers) func responsesOfAnAppsProtocolMayTellAnyNumber(_ number: Int) async throws {
    let url = try #require(URL(string: "numbered://\(number)/"))
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [NumberedProtocol.self]
    let session = URLSession(configuration: configuration)
    for _ in 0..<2 {
      let (data, response) = try await session.data(from: url)
      #expect(data == Data("ok".utf8))
      #expect((response as? HTTPURLResponse)?.statusCode == number)
    }
    session.invalidateAndCancel()
  }
}

/// Answers with the number that is the URL's host, as status, length and age.
private final class NumberedProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: it adds no state.
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "numbered" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    guard let url = request.url, let text = url.host, let number = Int(text),
      let response = HTTPURLResponse(url: url, statusCode: number, httpVersion: nil, headerFields: ["Content-Length": text, "Age": text])
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
    client?.urlProtocol(self, didLoad: Data("ok".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}
