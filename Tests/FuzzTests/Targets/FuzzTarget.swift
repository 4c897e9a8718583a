import Foundation

/// A parser that reads what comes from outside, to be fed with anything. It must come to an end and must not trap; where two ways lead to one
/// result, they must agree.
struct FuzzTarget: Sendable {
  let name: String
  /// Texts from which the first inputs are made.
  let seeds: [[UInt8]]
  /// Whether an input takes milliseconds.
  let isSlow: Bool
  /// Traps if something is wrong.
  let run: @Sendable (ArraySlice<UInt8>) -> Void

  init(
    _ name: String, seeds: [String] = [], binary: [[UInt8]] = [], isSlow: Bool = false,
    _ run: @escaping @Sendable (ArraySlice<UInt8>) -> Void
  ) {
    (self.name, self.isSlow, self.run) = (name, isSlow, run)
    self.seeds = seeds.map { Array($0.utf8) } + binary
  }

  static let all: [FuzzTarget] =
    http1 + http2 + http3 + fields + caching + websocket + names + proxies + authentication + texts + files + stores + daemon
    + differences

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

  /// A finding, unless it is so. Unlike a precondition it says what it is in optimized builds.
  static func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { fatalError(what()) }
  }
}

/// Takes an input apart: its first bytes decide, the rest is text.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// A number below `limit`; 0 at the end.
  mutating func number(below limit: Int) -> Int { Int(rest.popFirst() ?? 0) % max(1, limit) }

  mutating func bit() -> Bool { number(below: 2) == 1 }

  mutating func bytes() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

  /// What is left in parts, cut at NUL bytes.
  mutating func texts(atMost count: Int) -> [String] {
    let parts = bytes().split(separator: 0, maxSplits: max(0, count - 1), omittingEmptySubsequences: false)
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is left in pieces of the sizes that its bytes say, as a network delivers it.
  mutating func pieces() -> [ArraySlice<UInt8>] {
    let step = 1 + number(below: 64)
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      pieces.append(rest.prefix(step))
      rest = rest.dropFirst(step)
    }
    return pieces
  }
}
