import Dispatch
import Foundation

/// `-T` with a file: URL: copies the content to the file that the URL names.
///
/// A regular file is written under a temporary name and renamed when it is complete, so that a failed copy leaves the existing file unchanged.
struct FileCopy: Sendable {
  private static let pieceSize = 64 * 1024

  let content: SentContent
  let output: Output
  /// The rate limit of `--limit-rate`; nil for none.
  let pace: SharedPace?
  /// The time limit in seconds; nil for none.
  let maxTime: Double?
  private let begin = DispatchTime.now()
  /// Bytes written so far.
  private(set) var count: Int64 = 0

  init(content: SentContent, output: Output, pace: SharedPace?, maxTime: Double? = nil) {
    (self.content, self.output, self.pace, self.maxTime) = (content, output, pace, maxTime)
  }

  /// Seconds since the copy began.
  var elapsed: Double { Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9 }

  /// Copies everything. Blocks.
  /// - Parameter ending: Returns the exit code of a signal that has ended the run; nil if there was none.
  /// - Throws: If the copy fails; the existing file is unchanged then.
  mutating func run(unless ending: () -> ExitStatus?) throws(ToolFailure) {
    do throws(ToolFailure) {
      switch content {
      case .none, .form: break
      case .data(let data): try write(data, ending)
      case .standardInput: try copy(STDIN_FILENO, "-", ending)
      case .file(let path, _):
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SentContent.unreadable(path, errno) }
        defer { close(descriptor) }
        try copy(descriptor, path, ending)
      }
      _ = try output.commit()
    } catch {
      output.discard()
      throw error
    }
  }

  private mutating func copy(_ source: Int32, _ name: String, _ ending: () -> ExitStatus?) throws(ToolFailure) {
    var buffer = [UInt8](repeating: 0, count: FileCopy.pieceSize)
    while true {
      try awaitContent(of: source)
      if let signal = ending() { throw ToolFailure(signal, "") }
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return }
      if count > 0 {
        try write(Data(buffer[..<count]), ending)
      } else if errno != EINTR, errno != EAGAIN {
        throw SentContent.unreadable(name, errno)
      }
    }
  }

  private mutating func write(_ data: Data, _ ending: () -> ExitStatus?) throws(ToolFailure) {
    try output.write(data)
    count += Int64(data.count)
    pace?.take(data.count) { ending() != nil || isOverdue }
    try demandTime()
  }

  /// Waits until the source can be read, or has ended.
  /// - Throws: If the time limit is exceeded.
  private func awaitContent(of source: Int32) throws(ToolFailure) {
    var ready = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
    repeat {
      try demandTime()
      let wait = maxTime.map { Int32(min(Double(Int32.max), max(0, ($0 - elapsed) * 1000).rounded(.up))) }
      // If the source can't be polled, it is read, which may block.
      if poll(&ready, 1, wait ?? -1) < 0, errno != EINTR { return }
    } while ready.revents == 0
  }

  private var isOverdue: Bool { maxTime.map { elapsed >= $0 } ?? false }

  private func demandTime() throws(ToolFailure) {
    if let maxTime, isOverdue { throw Fetch.isOverdue(maxTime) }
  }
}
