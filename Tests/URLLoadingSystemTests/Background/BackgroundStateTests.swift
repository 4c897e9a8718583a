import BackgroundTransfers
import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// When a daemon is told that a session takes no more tasks.
@Suite struct BackgroundStateTests {
  /// A link to nothing.
  private func link() -> MessageLink {
    MessageLink(descriptor: open("/dev/null", O_RDWR | O_CLOEXEC), peer: LinkPeer(user: getuid(), process: getpid()))
  }

  private func attach(_ state: inout BackgroundState) -> MessageLink {
    let link = link()
    state.attachment.ask(on: link)
    _ = state.attachment.answered(on: link)
    state.attach()
    return link
  }

  private func tells(_ state: inout BackgroundState) -> Bool { state.tellsFinish() }

  @Test func aFinishIsToldBehindTheTasks() throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try #require(URL(string: "http://a.test/")))
    var state = BackgroundState()
    state.tasks.add(task, 1)
    state.finishing = .owed
    // The daemon is away.
    #expect(!tells(&state))
    let first = attach(&state)
    #expect(!tells(&state))
    _ = state.tasks.announce(1)
    #expect(tells(&state))
    #expect(!tells(&state))
    // The next daemon, which has kept the session open if the message was lost.
    _ = state.attachment.lost(first)
    #expect(!tells(&state))
    _ = attach(&state)
    #expect(!tells(&state))
    _ = state.tasks.discard(1)
    #expect(tells(&state))
  }

  @Test func anOpenSessionIsNotFinished() {
    var state = BackgroundState()
    _ = attach(&state)
    #expect(!tells(&state))
  }
}
