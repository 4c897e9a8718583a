import ArgumentParser

/// A span of time as it is typed: "5s", "250ms", "2m", "1h", or a number of seconds. Pure.
struct MemoryTime: Equatable, Sendable, ExpressibleByArgument {
  /// Nothing longer than a day is meant.
  private static let longest = 86_400.0

  let seconds: Double

  init(seconds: Double) { self.seconds = seconds }

  init?(argument: String) {
    let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let scale: Double? =
      switch argument.dropFirst(number.count) {
      case "ms": 0.001
      case "", "s": 1
      case "m": 60
      case "h": 3600
      default: nil
      }
    guard let scale, let value = Double(number), value * scale <= MemoryTime.longest else { return nil }
    seconds = value * scale
  }
}

/// What `--diff` compares with. Pure.
enum MemoryReference: Equatable, Sendable, ExpressibleByArgument {
  /// The process itself, this long before.
  case time(MemoryTime)
  /// The process itself, before the user pressed Enter.
  case enter
  /// What `--json` has written.
  case file(String)

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self = argument == "enter" ? .enter : MemoryTime(argument: argument).map(MemoryReference.time) ?? .file(argument)
  }
}
