import Foundation

/// What a process holds: the soaks of `scripts/tests/soak-*` print it at their start and at their end.
package struct ProcessFigures: CustomStringConvertible, Sendable {
  /// Bytes in memory, now and at most so far.
  package let memory: Int
  package let most: Int
  package let descriptors: Int
  package let threads: Int

  /// - Parameter process: Its number; nil for this process.
  package init(of process: Int32? = nil) {
    let folder = "/proc/\(process.map(String.init) ?? "self")"
    let status = (try? String(contentsOfFile: "\(folder)/status", encoding: .utf8)) ?? ""
    func number(_ key: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
    (memory, most, threads) = (number("VmRSS") << 10, number("VmHWM") << 10, number("Threads"))
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count) ?? 0
  }

  package var description: String { "\(memory >> 20) MiB (at most \(most >> 20)), \(descriptors) descriptors, \(threads) threads" }
}
