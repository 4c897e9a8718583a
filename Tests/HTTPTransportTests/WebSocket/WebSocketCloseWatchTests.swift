import Testing

@testable import HTTPTransport

@Suite struct WebSocketCloseWatchTests {
  /// What the watch says after each span, by the bytes that are left then.
  private func silences(_ watch: WebSocketCloseWatch, _ left: Int...) -> [Bool] {
    var watch = watch
    return left.map { watch.isSilent(left: $0, received: 0) }
  }

  @Test func peerThatAnswersNothingHasOneSpan() {
    #expect(silences(WebSocketCloseWatch(left: 0, received: 0), 0) == [true])
  }

  @Test func messagesTakeAsLongAsThePeerReads() {
    #expect(silences(WebSocketCloseWatch(left: 1000, received: 0), 999, 500, 1, 1) == [false, false, false, true])
  }

  @Test func peerHasAWholeSpanAfterTheCloseFrameHasLeft() {
    #expect(silences(WebSocketCloseWatch(left: 1000, received: 0), 0, 0) == [false, true])
  }

  @Test func whatTheSocketTakesAtOnceTakesNoTime() {
    var watch = WebSocketCloseWatch(left: 1000, received: 0)
    watch.note(left: 0)
    #expect(silences(watch, 0) == [true])
  }

  /// Answers to pings are sent as well.
  @Test func moreThatWaitsIsNoProgress() {
    #expect(silences(WebSocketCloseWatch(left: 1000, received: 0), 1010) == [true])
  }

  @Test func peerWhoseMessagesAreReceivedHasMoreTime() {
    var watch = WebSocketCloseWatch(left: 0, received: 7)
    #expect([8, 9, 9].map { watch.isSilent(left: 0, received: $0) } == [false, false, true])
  }

  @Test func peerThatSendsForeverHasSixSpansMore() {
    var watch = WebSocketCloseWatch(left: 0, received: 0)
    #expect((1...7).map { watch.isSilent(left: 0, received: $0) } == Array(repeating: false, count: 6) + [true])
  }
}
