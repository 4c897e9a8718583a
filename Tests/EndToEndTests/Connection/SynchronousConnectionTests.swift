import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct SynchronousConnectionTests {
  @available(*, deprecated)
  @Test func bodyAndResponseAreReturned() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("gone", status: 410))
      let request = URLRequest(url: server.url("/"))
      let (text, status) = try await onOwnThread {
        var response: URLResponse?
        let data = try NSURLConnection.sendSynchronousRequest(request, returning: &response)
        return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode)
      }
      #expect(text == "gone" && status == 410)
    }
  }

  @available(*, deprecated)
  @Test func failureIsThrownAsURLError() async throws {
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
    let code = try await onOwnThread { () -> URLError.Code? in
      do {
        _ = try NSURLConnection.sendSynchronousRequest(request, returning: nil)
        return nil
      } catch {
        return (error as? URLError)?.code
      }
    }
    #expect(code == .cannotConnectToHost)
  }

  @available(*, deprecated)
  @Test func blockingACallbackOfTheSharedSessionHoldsUpNothing() async throws {
    try await TestServer.with { server async throws in
      server.route("/*", reply: .text("x"))
      let request = URLRequest(url: server.url("/inner"))
      let count = await withCheckedContinuation { continuation in
        let task = URLSession.shared.dataTask(with: server.url("/outer")) { _, _, _ in
          let data = try? NSURLConnection.sendSynchronousRequest(request, returning: nil)
          continuation.resume(returning: data?.count)
        }
        task.resume()
      }
      #expect(count == 1)
    }
  }

  @available(*, deprecated)
  @Test func handlerRunsOnItsQueue() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let (queue, request) = (OperationQueue(), URLRequest(url: server.url("/")))
      let (isOnQueue, count) = await withCheckedContinuation { continuation in
        NSURLConnection.sendAsynchronousRequest(request, queue: queue) { response, data, error in
          #expect(response is HTTPURLResponse && error == nil)
          continuation.resume(returning: (OperationQueue.current === queue, data?.count))
        }
      }
      #expect(isOnQueue && count == 5)
    }
  }

  @available(*, deprecated)
  @Test func asyncFormReturnsOrThrows() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(.text("hello"))
      let queue = OperationQueue()
      let (response, data) = try await NSURLConnection.sendAsynchronousRequest(URLRequest(url: server.url("/")), queue: queue)
      #expect((response as? HTTPURLResponse)?.statusCode == 200 && data.count == 5)
      let refused = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
      await #expect(throws: URLError.self) { try await NSURLConnection.sendAsynchronousRequest(refused, queue: queue) }
    }
  }
}
