import Testing

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct WaterfallTests {
  private let simple = Waterfall(
    transactions: [
      TransactionTiming(
        title: "GET http://h/ -> 200", facts: ["connected to 127.0.0.1 port 80"],
        phases: [.init(name: "connect", start: 0, end: 0.01), .init(name: "waiting", start: 0.01, end: 0.04)])
    ], duration: 0.041)

  @Test func barsAreToScaleOnOneAxis() {
    // 61 columns in all, of which 40 are for the bars.
    let lines = simple.lines(width: 61, palette: .plain)
    #expect(
      lines == [
        "41.0 ms in all",
        "GET http://h/ -> 200",
        "  connected to 127.0.0.1 port 80",
        "  connect   " + String(repeating: "█", count: 10) + String(repeating: " ", count: 30) + "  10.0 ms",
        "  waiting   " + String(repeating: " ", count: 10) + String(repeating: "█", count: 30) + "  30.0 ms",
      ])
  }

  @Test func laterTransactionsBeginWhereEarlierOnesEnded() {
    let waterfall = Waterfall(
      transactions: [
        TransactionTiming(title: "a", phases: [.init(name: "waiting", start: 0, end: 1)]),
        TransactionTiming(title: "b", phases: [.init(name: "waiting", start: 1, end: 2)]),
      ], duration: 2)
    let lines = waterfall.lines(width: 61, palette: .plain)
    #expect(lines[0] == "2.00 s in all, 2 transactions")
    #expect(lines[2].hasPrefix("  waiting   " + String(repeating: "█", count: 20) + " "))
    #expect(lines[4].hasPrefix("  waiting   " + String(repeating: " ", count: 20) + "█"))
  }

  @Test func phasesOfNoLengthAreSeen() {
    let instant = TransactionTiming(
      title: "t", phases: [.init(name: "DNS", start: 0, end: 0), .init(name: "TLS", start: 1, end: 1)])
    let lines = Waterfall(transactions: [instant], duration: 1).lines(width: 80, palette: .plain)
    #expect(lines[2].contains("▏"))
    #expect(lines[3].contains("▏"))
    let nothing = Waterfall(transactions: [TransactionTiming(title: "t", phases: [.init(name: "DNS", start: 0, end: 0)])], duration: 0)
    #expect(nothing.lines(width: 80, palette: .plain)[2].contains("▏"))
  }

  @Test(arguments: [0, 40, 41, 80, 120, 1000]) func linesFitTheWidth(width: Int) {
    var waterfall = simple
    waterfall.transactions[0].title = String(repeating: "long", count: 100)
    waterfall.transactions[0].facts = [String(repeating: "word ", count: 100)]
    for line in waterfall.lines(width: width, palette: .plain) { #expect(line.count <= min(max(width, 40), 120)) }
  }

  @Test func coloursAreLeftOutWithoutATerminal() {
    #expect(!simple.lines(width: 80, palette: .plain).joined().contains("\u{1B}"))
    #expect(simple.lines(width: 80, palette: .coloured).joined().contains("\u{1B}[34m"))
  }
}
