import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct DelegateRecorderTests {
  @Test func completionsOfTwoSessionsAreToldApart() async throws {
    var options = TestServer.Options()
    options.routes = .standard
    try await TestServer.with(options) { server in
      let recorder = DelegateRecorder()
      let sessions = (0..<2).map { _ in URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil) }
      defer { for session in sessions { session.invalidateAndCancel() } }
      let whole = sessions[0].dataTask(with: server.url("/bytes/3"))
      let held = sessions[1].dataTask(with: server.url("/delay/never"))
      #expect(whole.taskIdentifier == held.taskIdentifier)
      whole.resume()
      #expect(await recorder.completion(of: whole) == nil)
      held.resume()
      held.cancel()
      #expect((await recorder.completion(of: held) as? URLError)?.code == .cancelled)
      #expect(await recorder.completion(of: whole) == nil)
    }
  }
}
