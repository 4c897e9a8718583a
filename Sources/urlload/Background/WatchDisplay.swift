import BackgroundTransfers
import Foundation

/// Shows watched transfers: redrawn in place on a terminal, otherwise a line for each change.
final class WatchDisplay {
  enum Style {
    case terminal(Console)
    case lines
    case json
  }

  /// The JSON form of a transfer that had ended, and wasn't listed any more, before the watch began.
  private struct EarlierEnd: Encodable {
    let id: Int64
    let phase: String
  }

  private let style: Style
  private let begin = ContinuousClock.now
  /// The latest line written for each transfer.
  private var said: [Int64: String] = [:]
  private var rates: [Int64: TransferRate] = [:]

  init(_ style: Style) { self.style = style }

  /// Shows the transfers that haven't ended.
  func show(_ active: [TransferListing]) {
    switch style {
    case .terminal(let console): draw(active, console)
    case .lines: for listing in active { say(ListingText.line(listing), of: listing.identifier) }
    case .json: for listing in active { say(ListingRecord(listing).line, of: listing.identifier) }
    }
  }

  func show(_ end: WatchedEnd) {
    said[end.identifier] = nil
    rates[end.identifier] = nil
    let text = end.listing.map { ListingText.line($0, end: end.phase) } ?? "\(String(end.identifier).alignedRight(5))  \(end.phase)"
    switch style {
    case .terminal(let console): console.line(text)
    case .lines: StandardOutput.line(text)
    case .json: StandardOutput.line(WatchDisplay.json(end))
    }
  }

  func showNothing() {
    switch style {
    case .terminal, .lines: StandardOutput.line(BackgroundCommand.nothing)
    case .json: break
    }
  }

  func finish() {
    if case .terminal(let console) = style { console.endProgress(keeping: nil) }
  }

  private static func json(_ end: WatchedEnd) -> String {
    guard let listing = end.listing else { return JSONLine.text(EarlierEnd(id: end.identifier, phase: end.phase)) }
    var record = ListingRecord(listing)
    record.phase = end.phase
    return record.line
  }

  /// Writes a transfer's line if it differs from its last one.
  private func say(_ text: String, of identifier: Int64) {
    guard said.updateValue(text, forKey: identifier) != text else { return }
    StandardOutput.line(text)
  }

  // MARK: on a terminal

  private func draw(_ active: [TransferListing], _ console: Console) {
    let (width, room) = (console.width, max(1, console.height - 2))
    var lines = active.prefix(active.count > room ? room - 1 : room).map { line($0, width) }
    if lines.count < active.count { lines.append("… and \(active.count - lines.count) more") }
    console.draw(progress: lines)
  }

  private func line(_ listing: TransferListing, _ width: Int) -> String {
    let path = listing.destination == TransferDraft.nowhere ? nil : listing.destination
    let name = "\(listing.identifier) \((path ?? listing.url).split(separator: "/").last.map(String.init) ?? listing.url)"
    let (done, expected) = ListingText.counts(listing)
    let elapsed = (ContinuousClock.now - begin) / .seconds(1)
    rates[listing.identifier, default: TransferRate(from: done, at: elapsed)].note(total: done, at: elapsed)
    switch listing.phase {
    case .running:
      var progress = ProgressLine(received: done, elapsed: elapsed)
      progress.expected = expected.flatMap { $0 > 0 ? $0 : nil }
      progress.rate = rates[listing.identifier]?.bytesPerSecond
      return ProgressBoard.text(name, progress, width: width)
    case .waiting, .suspended, .finished, .failed:
      let why = ListingText.why(listing).map { ": \($0)" } ?? ""
      return String(Printable.text("\(name)  \(listing.phase.rawValue)\(why)").prefix(max(0, width - 1)))
    }
  }
}
