import ArgumentParser

/// A time span from the command line: "5s", "250ms", "2m", "1h", or a number of seconds. Pure.
struct MemoryTime: Equatable, Sendable, ExpressibleByArgument {
  /// Longest time span in seconds that is accepted: a day.
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

/// The memory map that `--diff` compares with. Pure.
enum MemoryReference: Equatable, Sendable, ExpressibleByArgument {
  /// The process's own map, this long before.
  case time(MemoryTime)
  /// The process's own map, before the user presses Enter.
  case enter
  /// The map in a file that `--json` has written.
  case file(String)

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self = argument == "enter" ? .enter : MemoryTime(argument: argument).map(MemoryReference.time) ?? .file(argument)
  }
}
