import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Background sessions, as long as they work in the foreground.
@Suite(.timeLimit(.minutes(10))) struct BackgroundSessionTests {
  @Test func theirTransfersEndWithTheProcessIsSaidOnce() throws {
    let notice = BackgroundNotice()
    let line = try #require(notice.line(for: "uploads"))
    #expect(line.contains("“uploads”") && line.contains("end with this process") && line.hasSuffix("\n"))
    #expect(notice.line(for: "uploads") == nil)
    #expect(notice.line(for: "others") == nil)
    let session = URLSession(configuration: .background(withIdentifier: "made"))
    #expect(BackgroundNotice.process.line(for: "again") == nil)
    session.invalidateAndCancel()
  }

  @Test func theirTasksLoadAndTheirErrorsSayIt() async throws {
    try await TestServer.with { server async throws in
      server.route("/", reply: .text("ok"))
      let gate = Gate()
      server.route("/held", reply: Reply.text("never").with(.delayBeforeHeaders(gate)))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .background(withIdentifier: "tests"), delegate: recorder, delegateQueue: nil)
      let task = session.downloadTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      let held = session.downloadTask(with: server.url("/held"))
      held.resume()
      try await gate.reached()
      held.cancel()
      let error = try #require(await recorder.completion(of: held) as NSError?)
      #expect(error.code == NSURLErrorCancelled)
      #expect(error.localizedFailureReason?.contains("background sessions aren't supported yet") == true)
      gate.open()
      session.invalidateAndCancel()
    }
  }
}
