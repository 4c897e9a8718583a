import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Protocol classes that end a load without a response, as mocks with nothing but data do.
@Suite(.timeLimit(.minutes(10))) struct URLProtocolSilenceTests {
  /// Sends `pieces`, no response, and the end.
  private func url(_ pieces: [String]) throws -> URL {
    try ScriptedProtocol.url { scripted in
      for piece in pieces { scripted.client?.urlProtocol(scripted, didLoad: Data(piece.utf8)) }
      scripted.client?.urlProtocolDidFinishLoading(scripted)
    }
  }

  @Test(arguments: [[], ["data"], ["more ", "data"]])
  func completionHandlerGetsTheDataAlone(_ pieces: [String]) async throws {
    let session = ScriptedProtocol.session()
    let log = CompletionLog()
    let task = session.dataTask(with: try url(pieces), completionHandler: log.handler)
    task.resume()
    let call = await log.call()
    #expect(call.data == Data(pieces.joined().utf8))
    #expect(call.response == nil && call.error == nil)
    #expect(task.response == nil && task.state == .completed)
    session.invalidateAndCancel()
  }

  @Test func delegateIsToldOfDataAndOfNoResponse() async throws {
    let recorder = DelegateRecorder()
    let session = ScriptedProtocol.session(delegate: recorder)
    let task = session.dataTask(with: try url(["more ", "data"]))
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    #expect(recorder.body == Data("more data".utf8))
    #expect(recorder.milestones == [.created, .metrics(transactions: 1), .completed(code: nil)])
    #expect(task.countOfBytesReceived == 9)
    session.invalidateAndCancel()
  }

  @Test(arguments: [[], ["more ", "data"]])
  func downloadIsAFileWithoutAResponse(_ pieces: [String]) async throws {
    let session = ScriptedProtocol.session()
    let url = try url(pieces)
    let (content, response, error) = await withCheckedContinuation { continuation in
      let task = session.downloadTask(with: url) { file, response, error in
        continuation.resume(returning: (file.flatMap { try? Data(contentsOf: $0) }, response, error))
      }
      task.resume()
    }
    #expect(content == Data(pieces.joined().utf8))
    #expect(response == nil && error == nil)
    session.invalidateAndCancel()
  }

  @Test func functionsThatReturnAResponseThrow() async throws {
    let session = ScriptedProtocol.session()
    let url = try url(["data"])
    let expected = URLError.badServerResponse.rawValue
    #expect(await errorCode { _ = try await session.data(from: url) } == expected)
    #expect(await errorCode { _ = try await session.bytes(from: url) } == expected)
    #expect(await errorCode { _ = try await session.download(from: url) } == expected)
    session.invalidateAndCancel()
  }

  @Test func failureWithoutAResponseStaysAFailure() async throws {
    let url = try ScriptedProtocol.url { scripted in
      scripted.client?.urlProtocol(scripted, didLoad: Data("data".utf8))
      scripted.fail(URLError(.networkConnectionLost))
    }
    let session = ScriptedProtocol.session()
    let log = CompletionLog()
    session.dataTask(with: url, completionHandler: log.handler).resume()
    let call = await log.call()
    #expect(call.data == nil && (call.error as? URLError)?.code == .networkConnectionLost)
    session.invalidateAndCancel()
  }
}
