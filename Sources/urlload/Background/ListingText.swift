import BackgroundTransfers
import Foundation

/// Transfers and the daemon's state as text. Pure, except for the local time zone.
enum ListingText {
  /// A transfer in one line: identifier, phase, amount, app, URL, destination, and why it waits.
  /// - Parameter end: How the transfer has ended, in the place of the phase; nil if the list says so.
  static func line(_ listing: TransferListing, end: String? = nil) -> String {
    let what = [place(listing), listing.description.map { "“\($0)”" }, why(listing).map { "(\($0))" }].compactMap { $0 }
    let columns = [
      String(listing.identifier).alignedRight(5), (end ?? listing.phase.rawValue).alignedLeft(9), amount(listing).alignedLeft(18),
      listing.app.alignedLeft(10), what.joined(separator: " "),
    ]
    return Printable.text(columns.joined(separator: "  "))
  }

  /// The line that `add` writes for a new transfer, beginning with its identifier.
  static func added(_ listing: TransferListing) -> String {
    let what = listing.kind == .download ? "download of" : "upload to"
    return Printable.text("\(listing.identifier) \(what) \(place(listing))")
  }

  /// The URL, and the destination if there is one.
  private static func place(_ listing: TransferListing) -> String {
    guard let destination = listing.destination, destination != TransferDraft.nowhere else { return listing.url }
    return "\(listing.url) -> \(destination)"
  }

  /// How much is done, as "42% of 101 MB", "42.3 MB", or "-".
  static func amount(_ listing: TransferListing) -> String {
    let (done, expected) = counts(listing)
    guard let expected, expected > 0 else { return done > 0 ? Quantity.bytes(done) : "-" }
    return "\(percent(done, expected))% of \(Quantity.bytes(expected))"
  }

  /// The byte counts that matter for the transfer's kind: sent ones for an upload, received ones for a download. `expected` is nil if unknown.
  static func counts(_ listing: TransferListing) -> (done: Int64, expected: Int64?) {
    let (done, expected) =
      listing.kind == .upload ? (listing.sent, listing.expectedToSend) : (listing.received, listing.expectedToReceive)
    return (done, expected >= 0 ? expected : nil)
  }

  static func percent(_ done: Int64, _ expected: Int64) -> Int { Int(min(1, Double(max(0, done)) / Double(expected)) * 100) }

  /// Why the transfer waits or has failed, and when the next attempt is; nil while it runs.
  static func why(_ listing: TransferListing) -> String? {
    let next = listing.next.map { "\(listing.reason == nil ? "not before" : "again at") \(time($0))" }
    let parts = [listing.reason, next].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  static func log(_ line: LogLine) -> String {
    Printable.text([time(line.time), (line.transfer.map(String.init) ?? "-").alignedRight(5), line.text].joined(separator: "  "))
  }

  /// What the daemon is doing, and why each transfer waits, in lines.
  static func status(_ status: DaemonStatus, _ list: [TransferListing], now: Date) -> [String] {
    let age = EntryText.span(max(0, now.timeIntervalSince(status.started)))
    var lines = ["urlsessiond runs as process \(status.process) since \(age), in \(status.dataFolder)", counts(status)]
    lines += status.obstacles.map { "all transfers: \($0)" }
    let waiting = list.filter { $0.phase == .waiting }
    let reasons = waiting.map { ($0.identifier, why($0)) }
    // Transfers that only wait for a free place, without a reason of their own, come last.
    let ordered = reasons.filter { $0.1 != nil } + reasons.filter { $0.1 == nil }
    lines += shortened(ordered.map { "\($0) waits: \($1 ?? "for its turn")" }, "wait")
    lines += shortened(
      list.filter { $0.phase == .suspended }.map {
        "\($0.identifier) is paused: resume it with 'urlload background resume \($0.identifier)'"
      }, "are paused")
    return lines.map { Printable.text($0) }
  }

  /// The first 20 lines, and how many more there are.
  private static func shortened(_ lines: [String], _ what: String) -> [String] {
    let limit = 20
    guard lines.count > limit else { return lines }
    return lines.prefix(limit) + ["\(lines.count - limit) more \(what); 'urlload background list' shows all"]
  }

  private static func counts(_ status: DaemonStatus) -> String {
    let apps = "\(status.apps) app\(status.apps == 1 ? "" : "s") connected"
    return
      "\(status.running) running, \(status.waiting) waiting, \(status.suspended) paused, \(status.finished) ended and not taken; \(apps)"
  }

  /// The date in local time, to the second.
  static func time(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter.string(from: date)
  }
}
