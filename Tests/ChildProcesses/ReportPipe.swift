@preconcurrency import Dispatch
import Foundation
import LoadingModel

/// The named pipe through which child processes say lines, whole even when they are killed: what fits one write arrives at once or not.
package final class ReportPipe: Sendable {
  package static let fileName = "reports"

  private struct Heard {
    var lines: [String] = []
    var rest: [UInt8] = []
  }

  private let descriptor: Int32
  private let heard = Mutex(Heard())
  private let source: any DispatchSourceRead
  private let wakes: AsyncStream<Void>

  /// Makes the pipe in `folder`.
  package init(_ folder: URL) throws {
    let path = folder.appending(path: ReportPipe.fileName, directoryHint: .notDirectory).path(percentEncoded: false)
    guard mkfifo(path, 0o600) == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
    // For writing too: the pipe has no end when the last child has ended.
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
    self.descriptor = descriptor
    let (wakes, waking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.wakes = wakes
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler { [weak self] in
      self?.listen()
      waking.yield()
    }
    source.setCancelHandler { close(descriptor) }
    source.resume()
  }

  deinit { source.cancel() }

  /// The children's end, in `folder`.
  package static func handle(in folder: URL) throws -> FileHandle {
    try FileHandle(forWritingTo: folder.appending(path: fileName, directoryHint: .notDirectory))
  }

  /// Waits, in a child that has said all it has to say, until it is killed: the parent may be late. Returns when the pipe has no reader any more, at
  /// last when that counts as a hang.
  package static func waitForKill(_ handle: FileHandle) {
    var reader = pollfd(fd: handle.fileDescriptor, events: 0, revents: 0)
    poll(&reader, 1, Int32(2 * HangLimit.seconds * 1000))
  }

  /// At least `count` lines; fewer if the task is cancelled. One caller at a time.
  package func next(_ count: Int) async -> [String] {
    var lines = rest()
    var iterator = wakes.makeAsyncIterator()
    while lines.count < count, await iterator.next() != nil { lines += rest() }
    return lines
  }

  /// What has been said and not been taken yet.
  package func rest() -> [String] {
    listen()
    return heard.withLock { heard in
      defer { heard.lines = [] }
      return heard.lines
    }
  }

  private func listen() {
    heard.withLock { heard in
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      var count = read(descriptor, &buffer, buffer.count)
      while count > 0 {
        heard.rest += buffer[..<count]
        count = read(descriptor, &buffer, buffer.count)
      }
      guard let end = heard.rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
      heard.lines += String(decoding: heard.rest[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
      heard.rest.removeSubrange(...end)
    }
  }
}
