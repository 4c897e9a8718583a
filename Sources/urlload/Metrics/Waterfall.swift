import Foundation
import URLLoadingSystem

/// The phases of a load, drawn to scale as text: one block for each transaction, all on one time axis. Pure.
struct Waterfall: Sendable {
  var transactions: [TransactionTiming]
  /// Duration of the load in seconds.
  var duration: Double

  /// Columns for the names of phases, before the bars.
  private static let nameWidth = 10
  /// Columns for durations, behind the bars.
  private static let durationWidth = 9
  private static let widest = 120
  private static let narrowest = 40

  /// The drawing, in lines of at most `width` characters; `width` is bounded to a range in which bars can be seen.
  func lines(width: Int, palette: Palette) -> [String] {
    let width = min(max(width, Waterfall.narrowest), Waterfall.widest)
    let redirects = transactions.count > 1 ? ", \(transactions.count) transactions" : ""
    let head = "\(Quantity.duration(duration)) in all\(redirects)"
    return [head] + transactions.flatMap { block($0, width, palette) }
  }

  private func block(_ transaction: TransactionTiming, _ width: Int, _ palette: Palette) -> [String] {
    let columns = width - 2 - Waterfall.nameWidth - Waterfall.durationWidth
    let bars = transaction.phases.map { phase in
      let duration = Quantity.duration(phase.end - phase.start).alignedRight(Waterfall.durationWidth)
      let bar = Waterfall.bar(phase, of: axis, columns: columns).alignedLeft(columns)
      return "  " + phase.name.alignedLeft(Waterfall.nameWidth) + palette.blue(bar) + duration
    }
    let facts = transaction.facts.flatMap { $0.wrapped(width - 2) }.map { palette.faint("  \($0)") }
    return [palette.bold(transaction.title.shortened(width))] + facts + bars
  }

  /// The time in seconds that the full width of the bars stands for.
  private var axis: Double { transactions.flatMap(\.phases).map(\.end).max() ?? 0 }

  private static func bar(_ phase: TransactionTiming.Phase, of axis: Double, columns: Int) -> String {
    guard axis > 0 else { return "▏" }
    let scale = Double(columns) / axis
    // Every phase gets at least an eighth of a column, even at the right edge.
    let start = min(Int(phase.start * scale), columns - 1)
    let eighths = min(max(1, Int(((phase.end - phase.start) * scale * 8).rounded())), (columns - start) * 8)
    let partial = eighths % 8 == 0 ? "" : String(Bars.eighths[eighths % 8])
    return String(repeating: " ", count: start) + String(repeating: "█", count: eighths / 8) + partial
  }
}

extension Waterfall {
  /// The waterfall of a task's metrics.
  init(_ metrics: URLSessionTaskMetrics) {
    let transactions = metrics.transactionMetrics
    let origin = transactions.compactMap(\.fetchStartDate).min() ?? metrics.taskInterval.start
    self.init(
      transactions: transactions.map { TransactionTiming($0, since: origin, until: metrics.taskInterval.end) },
      duration: metrics.taskInterval.duration)
  }
}
