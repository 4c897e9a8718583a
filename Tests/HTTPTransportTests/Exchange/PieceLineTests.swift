import NIOCore
import Testing

@testable import HTTPTransport

@Suite struct PieceLineTests {
  /// What leaves the line, front first.
  private func contents(_ line: PieceLine) -> [String] {
    var line = line
    var pieces: [String] = []
    while let piece = line.popFirst() { pieces.append(String(buffer: piece)) }
    return pieces
  }

  private func line(_ pieces: String...) -> PieceLine {
    var line = PieceLine()
    for piece in pieces { line.append(ByteBuffer(string: piece)) }
    return line
  }

  @Test(arguments: [[], ["a"], ["a", "b"], ["a", "b", "c", "d", "e", "f", "g"]]) func piecesLeaveInTheirOrder(_ pieces: [String]) {
    var line = PieceLine()
    for piece in pieces { line.append(ByteBuffer(string: piece)) }
    #expect(line.isEmpty == pieces.isEmpty)
    #expect(line.last.map { String(buffer: $0) } == pieces.last)
    #expect(contents(line) == pieces)
  }

  @Test func pieceThatIsPutBackIsTheNext() {
    var line = line("a", "b")
    let first = line.popFirst()
    #expect(first.map { String(buffer: $0) } == "a")
    line.prepend(ByteBuffer(string: "a"))
    line.prepend(ByteBuffer(string: "0"))
    #expect(contents(line) == ["0", "a", "b"])
    var empty = PieceLine()
    empty.prepend(ByteBuffer(string: "x"))
    #expect(contents(empty) == ["x"])
  }

  @Test func lastPieceIsTakenOutFromTheBack() {
    var line = line("a", "b", "c")
    #expect(line.popLast().map { String(buffer: $0) } == "c")
    #expect(line.last.map { String(buffer: $0) } == "b")
    #expect(line.popLast().map { String(buffer: $0) } == "b")
    #expect(line.popLast().map { String(buffer: $0) } == "a")
    #expect(line.popLast() == nil)
    #expect(line.isEmpty)
    line.append(ByteBuffer(string: "d"))
    #expect(contents(line) == ["d"])
  }
}
