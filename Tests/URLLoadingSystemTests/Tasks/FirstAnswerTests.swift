import Foundation
import Testing

@testable import URLLoadingSystem

/// Overridden functions whose completion handlers are called more than once.
@Suite(.timeLimit(.minutes(10))) struct FirstAnswerTests {
  private final class TwiceAnsweringCache: URLCache, @unchecked Sendable {
    override func getCachedResponse(
      for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      completionHandler(nil)
      completionHandler(cachedResponse(for: URLRequest(url: URL(filePath: "/"))))
    }
  }

  private final class TwiceAnsweringCookies: HTTPCookieStorage, @unchecked Sendable {
    override func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
      completionHandler([])
      completionHandler(nil)
    }
  }

  private final class TwiceAnsweringCredentials: URLCredentialStorage, @unchecked Sendable {
    override func getDefaultCredential(
      for space: URLProtectionSpace, task: URLSessionTask, completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) {
      completionHandler(URLCredential(user: "first", password: "", persistence: .none))
      completionHandler(nil)
    }
  }

  @Test func firstAnswerOfAnAppsClassCounts() async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: try #require(URL(string: "http://192.0.2.1/")))
    #expect(await TwiceAnsweringCache(memoryCapacity: 0, diskCapacity: 0).cachedResponse(for: task) == nil)
    #expect(await TwiceAnsweringCookies().cookies(for: task) == [])
    let space = URLProtectionSpace(host: "a.test", port: 80, protocol: "http", realm: nil, authenticationMethod: nil)
    #expect(await TwiceAnsweringCredentials().defaultCredential(for: space, task: task)?.user == "first")
  }
}
