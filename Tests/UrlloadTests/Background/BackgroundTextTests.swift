import BackgroundTransfers
import Foundation
import Testing

@testable import urlload

/// What `urlload background` reads and writes, without a daemon.
@Suite(.timeLimit(.minutes(10))) struct BackgroundTextTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func listing(
    _ identifier: Int64, _ phase: TransferListing.Phase = .running, received: Int64 = 0, expected: Int64 = -1
  ) -> TransferListing {
    var listing = TransferListing(
      identifier: identifier, app: "app", session: "s", task: 1, kind: .download, url: "https://h/f", phase: phase)
    (listing.received, listing.expectedToReceive, listing.created) = (received, expected, now)
    return listing
  }

  @Test(arguments: [
    ("0", 0.0), ("90.5", 90.5), ("2027-01-15T08:00:00Z", 0), ("2027-01-15T10:00:00+01:00", 3600),
  ]) func beginIsANumberOfSecondsOrADate(text: String, seconds: Double) {
    #expect(BeginTime.date(text, now: BackgroundTextTests.now) == BackgroundTextTests.now.addingTimeInterval(seconds))
  }

  @Test func beginWithoutZoneIsInLocalTime() throws {
    let date = try #require(BeginTime.date("2027-01-31T02:00", now: BackgroundTextTests.now))
    let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute], from: date)
    #expect(parts.year == 2027 && parts.month == 1 && parts.day == 31 && parts.hour == 2 && parts.minute == 0)
    #expect(BeginTime.date("2027-01-31", now: BackgroundTextTests.now) != nil)
  }

  @Test(arguments: ["", "-1", "soon", "nan", "inf", "1e300", "2027-13-01", "2027-02-30", "9999-01-01"])
  func whatIsNoBeginIsRefused(text: String) {
    #expect(BeginTime.date(text, now: BackgroundTextTests.now) == nil)
  }

  @Test func storedFileHasThePermissionsThatTheToolsUmaskAllows() throws {
    var options = TransferDraft.Options()
    options.output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path(percentEncoded: false)
    let draft = try #require(try TransferDraft.drafts(["http://127.0.0.1/f"], options).first)
    #expect(draft.order.permissions == 0o666 & ~UInt16(FileCreationMask.ofProcess))
  }

  @Test func lineSaysHowMuchAndWhy() {
    var waiting = BackgroundTextTests.listing(7, .waiting, received: 42, expected: 100)
    waiting.reason = "no \u{1B}[2Jnetwork"
    waiting.destination = "/home/me/f"
    #expect(
      ListingText.line(waiting) == "    7  waiting    42% of 100 B        app         https://h/f -> /home/me/f (no \u{FFFD}[2Jnetwork)")
    #expect(ListingText.amount(BackgroundTextTests.listing(1)) == "-")
    #expect(ListingText.amount(BackgroundTextTests.listing(1, received: 1500)) == "1.50 kB")
    #expect(ListingText.amount(BackgroundTextTests.listing(1, received: .max, expected: 1)) == "100% of 1 B")
    waiting.destination = "/dev/null"
    #expect(!ListingText.line(waiting).contains("null"))
  }

  @Test func recordHasTheDocumentedKeys() throws {
    var full = BackgroundTextTests.listing(7, .waiting, received: 42, expected: 100)
    (full.reason, full.next, full.destination, full.description) = ("r", BackgroundTextTests.now, "/f", "d")
    full.expectedToSend = 1
    let object = try #require(try JSONSerialization.jsonObject(with: Data(ListingRecord(full).line.utf8)) as? [String: Any])
    #expect(
      Set(object.keys) == [
        "app", "attempts", "created", "description", "destination", "expectedToReceive", "expectedToSend", "id", "kind", "next", "phase",
        "reason", "received", "sent", "session", "task", "url",
      ])
    #expect(object["created"] as? String == "2027-01-15T08:00:00Z")
    // What isn't known is left out.
    let line = ListingRecord(BackgroundTextTests.listing(7)).line
    #expect(!line.contains("expected") && !line.contains("next") && line.contains("\"url\":\"https://h/f\""))
  }

  @Test func statusOfManyIsShort() {
    var list = (1...10_000).map { BackgroundTextTests.listing($0, .waiting) }
    list[9_999].reason = "waits for a network"
    list += (1...3).map { BackgroundTextTests.listing(20_000 + $0, .suspended) }
    let status = DaemonStatus(process: 1, started: BackgroundTextTests.now, dataFolder: "/d")
    let lines = ListingText.status(status, list, now: BackgroundTextTests.now).dropFirst(2)
    #expect(lines.count == 24)
    #expect(lines.first?.hasPrefix("10000 waits: ") == true && lines.first?.contains("network") == true)
    #expect(lines.contains("9980 more wait; 'urlload background list' shows all"))
    #expect(lines.last?.hasPrefix("20003 is paused: ") == true)
  }

  @Test func watchTellsEachEndOnce() {
    var state = WatchState()
    let first = state.take([
      BackgroundTextTests.listing(1), BackgroundTextTests.listing(2, .suspended), BackgroundTextTests.listing(3, .failed),
    ])
    #expect(first.ended.map(\.identifier) == [3] && first.vanished.isEmpty && state.active.map(\.identifier) == [1, 2])
    let second = state.take([BackgroundTextTests.listing(2, .finished), BackgroundTextTests.listing(3, .failed)])
    #expect(second.ended.map(\.identifier) == [2] && second.vanished.map(\.identifier) == [1] && state.active.isEmpty)
    let third = state.take([])
    #expect(third.ended.isEmpty && third.vanished.isEmpty)
  }

  @Test func endOfWhatIsNotListedIsInTheLog() {
    let lines = ["added: x", "tried again in 1 s: y", "cancelled by the user", "The transfer was removed."].map {
      LogLine(time: BackgroundTextTests.now, transfer: 1, text: $0)
    }
    let last = BackgroundTextTests.listing(1, received: 42, expected: 100)
    let cancelled = WatchedEnd(1, last: last, log: lines)
    #expect(cancelled.phase == "cancelled" && cancelled.listing?.reason == "cancelled by the user" && cancelled.listing?.received == 42)
    let finished = WatchedEnd(1, last: last, log: [LogLine(time: BackgroundTextTests.now, transfer: 1, text: "finished: status 200")])
    #expect(finished.phase == "finished" && finished.listing?.reason == nil && finished.listing?.received == 100)
    #expect(WatchedEnd(1, last: last, log: []).phase == "ended")
  }

  @Test func latestListReplacesOneThatWasNotRead() throws {
    let inbox = DaemonInbox()
    inbox.add(.tool(.transfers([BackgroundTextTests.listing(1)])))
    inbox.add(.tool(.transfers([BackgroundTextTests.listing(2)])))
    inbox.add(.tool(.done))
    inbox.end(ToolFailure(.connectionLost, "first"))
    inbox.end(ToolFailure(.other, "second"))
    guard case .tool(.transfers(let list)) = try inbox.next(within: nil) else { return #expect(Bool(false)) }
    #expect(list.map(\.identifier) == [2])
    guard case .tool(.done) = try inbox.next(within: nil) else { return #expect(Bool(false)) }
    for _ in 0..<2 { #expect(throws: ToolFailure(.connectionLost, "first")) { try inbox.next(within: nil) } }
  }
}
