import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Which of the app's protocol classes a load goes to.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolChoiceTests {
  private func session(_ classes: [AnyClass]) -> URLSession {
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = classes + (configuration.protocolClasses ?? [])
    return URLSession(configuration: configuration)
  }

  @Test func firstClassOfTheArrayThatWantsTheRequestGetsIt() async throws {
    let url = try #require(URL(string: "choice://x/"))
    let session = session([Refusing.self, Second.self, First.self])
    let (data, _) = try await session.data(from: url)
    #expect(data == Data("second".utf8))
    session.invalidateAndCancel()
  }

  @Test func classesOfTheAppComeBeforeHTTP() async throws {
    let url = try #require(URL(string: "http://choice.invalid/"))
    let session = session([First.self])
    let (data, _) = try await session.data(from: url)
    #expect(data == Data("first".utf8))
    session.invalidateAndCancel()
  }

  @Test func classThatIsAskedForTheTaskDecidesForTheTask() async throws {
    let url = try #require(URL(string: "choice://x/"))
    let session = session([TaskPicker.self, First.self])
    let task = session.dataTask(with: url)
    let log = CompletionLog()
    let picked = session.dataTask(with: url, completionHandler: log.handler)
    picked.taskDescription = "pick me"
    picked.resume()
    #expect(await log.call().data == Data("picked".utf8))
    #expect(try await session.data(from: url).0 == Data("first".utf8))
    task.cancel()
    session.invalidateAndCancel()
  }

  @Test func classesRegisteredLastServeTheSharedSessionFirst() async throws {
    let url = try #require(URL(string: "registered://x/"))
    #expect(URLProtocol.registerClass(RegisteredFirst.self))
    #expect(URLProtocol.registerClass(RegisteredSecond.self))
    #expect(!URLProtocol.registerClass(NSObject.self))
    #expect(try await URLSession.shared.data(from: url).0 == Data("registered second".utf8))
    URLProtocol.unregisterClass(RegisteredSecond.self)
    #expect(try await URLSession.shared.data(from: url).0 == Data("registered first".utf8))
    let session = session([])
    #expect(await errorCode { _ = try await session.data(from: url) } == URLError.unsupportedURL.rawValue)
    URLProtocol.unregisterClass(RegisteredFirst.self)
    #expect(await errorCode { _ = try await URLSession.shared.data(from: url) } == URLError.unsupportedURL.rawValue)
    session.invalidateAndCancel()
  }
}

/// Answers with the name of its class.
private class NamedProtocol: URLProtocol, @unchecked Sendable {
  class var name: String { "" }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "choice" || request.url?.host == "choice.invalid" }

  override func startLoading() {
    guard let url = request.url else { return }
    let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(Swift.type(of: self).name.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}

private final class First: NamedProtocol, @unchecked Sendable {
  override class var name: String { "first" }
}

private final class Second: NamedProtocol, @unchecked Sendable {
  override class var name: String { "second" }
}

private final class Refusing: NamedProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { false }
}

private final class TaskPicker: NamedProtocol, @unchecked Sendable {
  override class var name: String { "picked" }
  override class func canInit(with task: URLSessionTask) -> Bool { task.taskDescription == "pick me" }
}

private final class RegisteredFirst: NamedProtocol, @unchecked Sendable {
  override class var name: String { "registered first" }
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "registered" }
}

private final class RegisteredSecond: NamedProtocol, @unchecked Sendable {
  override class var name: String { "registered second" }
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "registered" }
}
