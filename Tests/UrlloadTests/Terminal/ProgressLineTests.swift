import Testing

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct ProgressLineTests {
  private let half = ProgressLine(received: 5_000_000, expected: 10_000_000, rate: 2_500_000, elapsed: 2)

  @Test func knownLengthShowsPercentBarRateAndTimeLeft() {
    let text = half.text(width: 80)
    #expect(text.hasPrefix(" 50% ▕█"))
    #expect(text.hasSuffix("5.00 MB of 10.0 MB  2.50 MB/s  0:02 left  0:02"))
    #expect(text.count == 79)
  }

  @Test func unknownLengthShowsBytesRateAndTime() {
    let line = ProgressLine(received: 1_234_567, expected: nil, rate: 1000, elapsed: 75)
    #expect(line.text(width: 80) == "1.23 MB  1.00 kB/s  1:15")
  }

  @Test func barFillsInEighths() {
    var line = half
    line.received = 0
    let empty = line.text(width: 80)
    line.received = 10_000_000
    let full = line.text(width: 80)
    #expect(!empty.contains("█"))
    #expect(full.filter { $0 == "█" }.count == empty.count - empty.drop { $0 != "▕" }.drop { $0 != "▏" }.count - 6)
    #expect(full.hasPrefix("100% "))
  }

  @Test(arguments: 0...200) func neverWiderThanTheTerminal(width: Int) {
    for line in [half, ProgressLine(received: 999_999_999_999, expected: nil, rate: 1e12, elapsed: 360_000)] {
      #expect(line.text(width: width).count <= max(0, width - 1))
    }
  }

  @Test func narrowTerminalKeepsTheFiguresThatMatterMost() {
    #expect(half.text(width: 40) == " 50%  5.00 MB of 10.0 MB  2.50 MB/s")
    #expect(half.text(width: 28) == " 50%  5.00 MB of 10.0 MB")
  }

  @Test func moreThanAnnouncedIsAHundredPercent() {
    var line = half
    line.received = 20_000_000
    #expect(line.text(width: 80).hasPrefix("100% "))
  }

  @Test func completeLineTellsTheWhole() {
    var line = half
    line.received = 10_000_000
    line.isComplete = true
    #expect(line.text(width: 80).hasSuffix("10.0 MB  2.50 MB/s  in 0:02"))
  }

  @Test func rateAveragesTheLastSeconds() {
    var rate = TransferRate()
    #expect(rate.bytesPerSecond == nil)
    for second in 1...10 { rate.note(total: Int64(second * 100), at: Double(second)) }
    #expect(rate.bytesPerSecond == 100)
    // Stalled: after the span nothing of the old speed is left.
    for second in 11...16 { rate.note(total: 1000, at: Double(second)) }
    #expect(rate.bytesPerSecond == 0)
  }

  @Test func rateIgnoresAClockThatStands() {
    var rate = TransferRate()
    rate.note(total: 10, at: 0)
    rate.note(total: 10, at: 1)
    rate.note(total: 50, at: 1)
    #expect(rate.bytesPerSecond == 10)
  }
}
