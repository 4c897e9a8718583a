import Foundation
import HTTPTransport
import LoadingModel
import NIOEmbedded
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

/// The request timeout of loads whose server acknowledges what a test says.
@Suite(.timeLimit(.minutes(10))) struct LoadDeadlinesTests {
  private final class Sending: Interruptible {
    var acknowledgedBytes: Int64?
    private(set) var error: LoadError?

    init(_ acknowledgedBytes: Int64?) { self.acknowledgedBytes = acknowledgedBytes }

    func interrupt(_ error: LoadError) { self.error = error }
    func suspensionEnded() {}
  }

  private let loop = EmbeddedEventLoop()
  private let clock = ManualClock()
  private let deadlines: LoadDeadlines

  init() { deadlines = LoadDeadlines(eventLoop: loop, clock: clock) }

  private func begin(_ sending: Sending, body: LoadRequest.Body = .data(Data(count: 1000))) -> LoadContext {
    var request = LoadRequest(url: URL(string: "https://example.org/"))
    request.mutate { $0.body = body }
    let context = LoadContext(executor: LoopExecutor(loop), clock: clock, request: request, idleTimeout: 60)
    context.waits(on: sending)
    deadlines.add(context)
    return context
  }

  private func advance(by seconds: Double) {
    clock.advance(by: seconds)
    loop.run()
  }

  @Test func acknowledgementsRestartTheTimeout() {
    let sending = Sending(0)
    let context = begin(sending)
    for _ in 0..<20 {
      advance(by: 15)
      sending.acknowledgedBytes? += 1
    }
    // The last one is noticed at the next look.
    for _ in 0..<4 { advance(by: 15) }
    #expect(sending.error == nil)
    advance(by: 15)
    #expect(sending.error?.kind == .timedOut)
    deadlines.remove(context)
  }

  /// Also one that has acknowledged something before, such as a server that doesn't read any more.
  @Test func serverThatAcknowledgesNothingTimesOut() {
    let sending = Sending(500)
    let context = begin(sending)
    for _ in 0..<3 { advance(by: 15) }
    #expect(sending.error == nil)
    advance(by: 15)
    #expect(sending.error?.kind == .timedOut)
    deadlines.remove(context)
  }

  /// What was acknowledged of an earlier attempt says nothing of this one.
  @Test func bodyThatIsSentAgainBeginsAnew() {
    let sending = Sending(500)
    let context = begin(sending)
    advance(by: 15)
    sending.acknowledgedBytes = nil
    advance(by: 15)
    sending.acknowledgedBytes = 600
    advance(by: 15)
    #expect(sending.error == nil)
    advance(by: 15)
    #expect(sending.error?.kind == .timedOut)
    deadlines.remove(context)
  }

  @Test func resourceTimeoutEndsAnUploadThatMoves() {
    let sending = Sending(0)
    let context = begin(sending)
    context.resourceDeadline = clock.now.advanced(bySeconds: 90)
    for _ in 0..<6 {
      #expect(sending.error == nil)
      sending.acknowledgedBytes? += 1
      advance(by: 15)
    }
    #expect(sending.error?.message.contains("timeoutIntervalForResource") == true)
    deadlines.remove(context)
  }

  @Test func onlyLoadsWithABodyAreLookedAtBeforeTheirDeadlines() {
    let plain = begin(Sending(nil), body: .none)
    #expect(clock.pendingWakes == [60])
    let upload = begin(Sending(0))
    #expect(clock.pendingWakes == [15])
    for context in [plain, upload] { deadlines.remove(context) }
    deadlines.cancel()
  }
}
