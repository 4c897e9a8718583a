import BackgroundTransfers
import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite struct DaemonAttachmentTests {
  /// A link to nothing.
  private func link() -> MessageLink {
    MessageLink(descriptor: open("/dev/null", O_RDWR | O_CLOEXEC), peer: LinkPeer(user: getuid(), process: getpid()))
  }

  private func attached(on link: MessageLink) -> DaemonAttachment {
    var attachment = DaemonAttachment()
    attachment.ask(on: link)
    let isFirst = attachment.answered(on: link)
    #expect(isFirst)
    return attachment
  }

  @Test func onlyTheFirstAnswerAttaches() {
    let (one, other) = (link(), link())
    var attachment = attached(on: one)
    let isAccepted = attachment.answered(on: other)
    #expect(!isAccepted && attachment.link === one && attachment.asked == nil)
  }

  @Test func aLostLinkIsMadeAnewAtOnceAndLaterMoreSlowly() {
    let link = link()
    var attachment = attached(on: link)
    _ = attachment.advance(to: .settled)
    var pauses: [DaemonAttachment.Loss] = [attachment.lost(link)]
    #expect(attachment.isAttaching)
    for _ in 0..<40 { pauses.append(attachment.lost(link)) }
    #expect(pauses[0] == .reconnect(after: 0) && pauses[1] == .reconnect(after: 2) && pauses[40] == .reconnect(after: 30))
  }

  @Test func theEndOfAnOlderLinkChangesNothing() {
    let (older, current) = (link(), link())
    var attachment = attached(on: current)
    let loss = attachment.lost(older)
    #expect(loss == .none && attachment.link === current)
  }

  @Test func aDaemonThatNeverAnswersIsGivenUp() {
    let link = link()
    var attachment = DaemonAttachment()
    var losses: [DaemonAttachment.Loss] = []
    for _ in 0..<6 { losses.append(attachment.lost(link)) }
    #expect(losses[4] == .reconnect(after: 5) && losses[5] == .hopeless)
  }

  @Test func pausesBeginAnewWhenTheDaemonHasToldEverything() {
    let link = link()
    var attachment = attached(on: link)
    _ = attachment.lost(link)
    _ = attachment.lost(link)
    attachment.caughtUp()
    let loss = attachment.lost(link)
    #expect(loss == .reconnect(after: 0))
  }

  @Test func anAnswerLetsThreadsWaitAgain() {
    let link = link()
    var attachment = DaemonAttachment()
    attachment.hasGivenUp = true
    _ = attachment.answered(on: link)
    #expect(!attachment.hasGivenUp)
  }

  @Test func twoOlderDaemonsAreAskedToEndAndNoneThatHasAttached() {
    var attachment = DaemonAttachment()
    let tries = [attachment.takeOver(), attachment.takeOver(), attachment.takeOver()]
    var other = attached(on: link())
    let isTried = other.takeOver()
    #expect(tries == [true, true, false] && !isTried)
  }

  @Test func whatHasFailedOrEndedStaysSo() {
    let link = link()
    var failed = attached(on: link)
    failed.fail(.cancelled())
    var ended = attached(on: link)
    ended.end()
    let losses = [failed.lost(link), ended.lost(link)]
    let answers = [failed.answered(on: link), ended.answered(on: link)]
    #expect(losses == [.none, .none] && answers == [false, false])
    #expect(failed.failure?.kind == .cancelled && ended.failure == nil && !failed.isInUse && !ended.isInUse)
  }

  @Test func theFirstAttachmentAdvancesOnceAndNeverBack() {
    var attachment = DaemonAttachment()
    let steps = [attachment.advance(to: .attached), attachment.advance(to: .attached), attachment.advance(to: .settled)]
    let isBack = attachment.advance(to: .attached)
    #expect(steps == [true, false, true] && !isBack && attachment.beginning == .settled)
  }
}
