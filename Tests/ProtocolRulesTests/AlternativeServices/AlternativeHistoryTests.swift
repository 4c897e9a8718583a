import LoadingModel
import ProtocolRules
import Testing

@Suite(.timeLimit(.minutes(10))) struct AlternativeHistoryTests {
  private let place = AlternativeHistory.Place(Origin(scheme: "https", host: "example.org", port: 443), host: "alt.example.org", port: 8443)
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test(arguments: [(0, 300.0), (1, 300), (2, 600), (3, 1200), (10, 153_600), (11, 172_800), (1000, 172_800)])
  func pausesGrowToTwoDays(failures: Int, seconds: Double) {
    #expect(AlternativeRules.pause(afterFailures: failures) == seconds)
  }

  @Test func placeIsUntriedAtFirst() {
    #expect(AlternativeHistory().standing(of: place, now: start) == .untried)
  }

  @Test func placeThatHasWorkedIsProven() {
    var history = AlternativeHistory()
    history.succeeded(place)
    #expect(history.standing(of: place, now: start) == .proven)
  }

  @Test func placeThatHasFailedIsBrokenForFiveMinutes() {
    var history = AlternativeHistory()
    history.succeeded(place)
    history.failed(place, now: start)
    let end = start.advanced(bySeconds: 300)
    #expect(history.standing(of: place, now: start.advanced(bySeconds: 299)) == .broken(until: end))
    #expect(history.standing(of: place, now: end) == .untried)
  }

  @Test func failuresInSuccessionDoubleThePause() {
    var (history, now) = (AlternativeHistory(), start)
    for pause in [300.0, 600, 1200, 2400] {
      history.failed(place, now: now)
      #expect(history.standing(of: place, now: now) == .broken(until: now.advanced(bySeconds: pause)))
      now = now.advanced(bySeconds: pause)
    }
  }

  @Test func failuresDuringAPauseCountOnce() {
    var history = AlternativeHistory()
    history.failed(place, now: start)
    history.failed(place, now: start.advanced(bySeconds: 10))
    #expect(history.standing(of: place, now: start) == .broken(until: start.advanced(bySeconds: 300)))
  }

  private func takeLastResort(_ history: inout AlternativeHistory, _ now: Instant) -> Bool { history.takeLastResort(place, now: now) }

  @Test func oneLastResortInEachPause() {
    var history = AlternativeHistory()
    #expect(!takeLastResort(&history, start))
    history.failed(place, now: start, wasReached: true)
    #expect(takeLastResort(&history, start))
    history.failed(place, now: start, wasReached: true)
    #expect(!takeLastResort(&history, start))
    #expect(history.standing(of: place, now: start) == .broken(until: start.advanced(bySeconds: 300)))
    let later = start.advanced(bySeconds: 300)
    #expect(!takeLastResort(&history, later))
    history.failed(place, now: later, wasReached: true)
    #expect(takeLastResort(&history, later))
    history.succeeded(place)
    history.failed(place, now: later)
    #expect(!takeLastResort(&history, later))
  }

  @Test func placeThatHasWorkedHasAHeadStart() {
    var history = AlternativeHistory()
    #expect(history.startOfTCP(beside: place, now: start, isLastResort: false) == start)
    history.succeeded(place)
    let head = start.advanced(bySeconds: AlternativeRules.headStart)
    #expect(history.startOfTCP(beside: place, now: start, isLastResort: false) == head)
  }

  @Test func brokenPlaceIsTriedAsTheLastResortAlone() {
    var history = AlternativeHistory()
    history.failed(place, now: start, wasReached: true)
    #expect(history.startOfTCP(beside: place, now: start, isLastResort: false) == nil)
    #expect(history.startOfTCP(beside: place, now: start, isLastResort: true) == start)
    #expect(history.startOfTCP(beside: place, now: start, isLastResort: true) == nil)
  }

  @Test func placeThatIsLikelyToBeThereIsWaitedForLonger() {
    var history = AlternativeHistory()
    #expect(history.patience(with: place, now: start, isLikely: false) == AlternativeRules.patience)
    #expect(history.patience(with: place, now: start, isLikely: true) == AlternativeRules.longPatience)
    history.succeeded(place)
    #expect(history.patience(with: place, now: start, isLikely: false) == AlternativeRules.longPatience)
  }

  @Test func successForgetsFailures() {
    var history = AlternativeHistory()
    history.failed(place, now: start)
    history.succeeded(place)
    #expect(history.standing(of: place, now: start) == .proven)
    history.failed(place, now: start)
    #expect(history.standing(of: place, now: start) == .broken(until: start.advanced(bySeconds: 300)))
  }

  @Test func changeOfNetworkForgetsAll() {
    var history = AlternativeHistory()
    history.failed(place, now: start)
    history.networkChanged()
    #expect(history.standing(of: place, now: start) == .untried)
    #expect(history.count == 0)
  }

  @Test func placesOfOneOriginAreApart() {
    var history = AlternativeHistory()
    history.failed(place, now: start)
    let other = AlternativeHistory.Place(place.origin, host: place.host, port: 443)
    #expect(history.standing(of: other, now: start) == .untried)
  }

  @Test func memoryIsBounded() {
    var history = AlternativeHistory()
    for port in 1...5000 { history.succeeded(AlternativeHistory.Place(place.origin, host: "a", port: port)) }
    #expect(history.count <= AlternativeHistory.limit)
    #expect(history.standing(of: AlternativeHistory.Place(place.origin, host: "a", port: 5000), now: start) == .proven)
  }
}
