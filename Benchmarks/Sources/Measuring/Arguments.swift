/// The command line that all clients share: `client SCENARIO URL COUNT CONCURRENCY [--cacert FILE] [--file FILE] [--mode NAME]`.
public struct Arguments: Sendable {
  /// What to load.
  public let scenario: Scenario
  /// The document's absolute URL.
  public let url: String
  /// How many requests the measured part makes; at least 1.
  public let count: Int
  /// How many requests are under way at once; at least 1, at most `count`.
  public let concurrency: Int
  /// A PEM file with the server's certificate, trusted as a root.
  public let certificateFile: String?
  /// The file to send, or the path of the file to make, where the scenario moves one.
  public let file: String?
  /// Which of the client's interfaces to use, for clients that have several.
  public let mode: String?

  /// Reads the process's arguments without the program's name.
  ///
  /// - Throws: ``BenchmarkFailure`` that says which argument was wrong.
  public init(_ words: some Sequence<String>) throws(BenchmarkFailure) {
    var positional: [String] = []
    var certificateFile: String?
    var file: String?
    var mode: String?
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--cacert": certificateFile = words.next()
      case "--file": file = words.next()
      case "--mode": mode = words.next()
      default: positional.append(word)
      }
    }
    guard positional.count == 4 else {
      throw BenchmarkFailure("usage: client SCENARIO URL COUNT CONCURRENCY [--cacert FILE] [--file FILE] [--mode NAME]")
    }
    guard let scenario = Scenario(name: positional[0]) else {
      throw BenchmarkFailure("unknown scenario \(positional[0])")
    }
    guard let count = Int(positional[2]), let concurrency = Int(positional[3]), count > 0, concurrency > 0 else {
      throw BenchmarkFailure("COUNT and CONCURRENCY must be whole numbers above zero")
    }
    self.scenario = scenario
    self.url = positional[1]
    self.count = count
    self.concurrency = min(concurrency, count)
    self.certificateFile = certificateFile
    self.file = file
    self.mode = mode
  }
}

/// A benchmark that could not be run or whose replies were wrong; the runner prints the message as the row's note.
public struct BenchmarkFailure: Error, CustomStringConvertible {
  /// What was wrong.
  public let description: String

  /// Makes a failure with this message.
  public init(_ description: String) {
    self.description = description
  }
}
