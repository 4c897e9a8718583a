/// The progress of a load, as one line of text or JSON. Pure.
struct ProgressLine: Sendable, Equatable {
  var received: Int64 = 0
  /// Number of all bytes; nil if unknown.
  var expected: Int64?
  /// Bytes per second; nil if unknown.
  var rate: Double?
  /// Seconds since the load's beginning.
  var elapsed = 0.0
  var isComplete = false

  /// The line, in less than `width` characters: if it doesn't fit, the least important fields are left out.
  func text(width: Int) -> String {
    // The last column stays free: some terminals break the line there.
    let room = width - 1
    let figures = ProgressLine.fitting(fields, into: room)
    guard let fraction else { return figures }
    let percent = "\(Int(fraction * 100))%".alignedRight(4)
    let rest = ProgressLine.fitting(fields, into: room - percent.count - 2)
    // The bar's width: without one space before it, two after it, and its two ends.
    let bar = room - percent.count - rest.count - 5
    guard bar >= ProgressLine.shortestBar else { return String("\(percent)  \(rest)".prefix(max(0, room))) }
    return "\(percent) \(ProgressLine.bar(fraction, min(bar, ProgressLine.longestBar)))  \(rest)"
  }

  /// The progress as a JSON object in one line.
  func json(_ name: String) -> String {
    struct Shown: Encodable {
      var name: String
      var received: Int64
      var expected: Int64?
      var bytesPerSecond: Int64?
      var elapsed: Double
      var isComplete: Bool
    }
    return JSONLine.text(
      Shown(
        name: name, received: received, expected: expected, bytesPerSecond: rate.map { Int64(min($0, 9e18)) },
        elapsed: (elapsed * 1000).rounded() / 1000, isComplete: isComplete))
  }

  private static let shortestBar = 8
  private static let longestBar = 60

  private var fraction: Double? {
    guard let expected, expected > 0 else { return expected == 0 && isComplete ? 1 : nil }
    return min(1, Double(received) / Double(expected))
  }

  /// The fields of the line, the most important first.
  private var fields: [String] {
    var fields: [String] = []
    let count = Quantity.bytes(received).alignedRight(7)
    if let expected, !isComplete { fields.append("\(count) of \(Quantity.bytes(expected))") } else { fields.append(count) }
    fields.append((rate.map { Quantity.bytes(Int64($0)) } ?? "-").alignedRight(7) + "/s")
    if isComplete {
      fields.append("in \(Quantity.clock(elapsed))")
    } else {
      if expected != nil { fields.append("\(Quantity.clock(remaining)) left") }
      fields.append(Quantity.clock(elapsed))
    }
    return fields
  }

  private var remaining: Double? {
    guard let expected, let rate, rate > 0 else { return nil }
    return max(0, Double(expected - received) / rate)
  }

  private static func fitting(_ fields: [String], into room: Int) -> String {
    var text = fields[0]
    for field in fields.dropFirst() where text.count + 2 + field.count <= room { text += "  " + field }
    return String(text.prefix(max(0, room)))
  }

  private static func bar(_ fraction: Double, _ width: Int) -> String {
    let eighths = Int((fraction * Double(width * 8)).rounded(.down))
    let full = String(repeating: "█", count: eighths / 8)
    let partial = eighths % 8 == 0 ? "" : String(Bars.eighths[eighths % 8])
    return "▕" + (full + partial).alignedLeft(width) + "▏"
  }
}

/// Block characters for bars.
enum Bars {
  /// Blocks that fill none to seven eighths of a column from the left.
  static let eighths: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
