import Foundation
import Testing

@testable import HeadlessLayout

@Suite(.timeLimit(.minutes(10))) struct ScrollAxisTests {
  private let axis = ScrollAxis(start: 300, end: 340, length: 100, insets: (start: 10, end: 20))

  @Test func itemLiesWhereItIsAskedFor() {
    #expect(axis.offset(from: 0, to: [true, false, false]) == 290)
    #expect(axis.offset(from: 0, to: [false, true, false]) == 275)
    #expect(axis.offset(from: 0, to: [false, false, true]) == 260)
  }

  /// Without a position, or with two of them.
  @Test(arguments: [[false, false, false], [true, false, true]])
  func offsetChangesByAsLittleAsShowsTheItem(position: [Bool]) {
    #expect(axis.offset(from: 0, to: position) == 260)
    #expect(axis.offset(from: 270, to: position) == 270)
    #expect(axis.offset(from: 900, to: position) == 290)
  }
}
