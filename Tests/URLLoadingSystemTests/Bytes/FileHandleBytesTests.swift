import Foundation
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct FileHandleBytesTests {
  @Test func bytesOfAFileBeginAtItsPosition() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "bytes-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
    try content.write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    try handle.seek(toOffset: 1000)
    var bytes: [UInt8] = []
    for try await byte in handle.bytes { bytes.append(byte) }
    #expect(bytes == [UInt8](content.dropFirst(1000)))
    try handle.close()
  }

  @Test func bytesOfAPipeArriveBeforeItsEnd() async throws {
    let pipe = Pipe()
    var lines = pipe.fileHandleForReading.bytes.lines.makeAsyncIterator()
    try pipe.fileHandleForWriting.write(contentsOf: Data("first\nsecond\n".utf8))
    #expect(try await lines.next() == "first")
    #expect(try await lines.next() == "second")
    try pipe.fileHandleForWriting.write(contentsOf: Data("last".utf8))
    try pipe.fileHandleForWriting.close()
    #expect(try await lines.next() == "last")
    #expect(try await lines.next() == nil)
  }

  @Test func cancelledTaskStopsWaiting() async throws {
    let pipe = Pipe()
    let task = Task { () -> Bool in
      do {
        for try await _ in pipe.fileHandleForReading.bytes {}
        return false
      } catch is CancellationError {
        return true
      }
    }
    task.cancel()
    #expect(try await task.value)
    // The pipe is as it was: what is written now can be read.
    try pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8))
    try pipe.fileHandleForWriting.close()
    var bytes: [UInt8] = []
    for try await byte in pipe.fileHandleForReading.bytes { bytes.append(byte) }
    #expect(bytes == [UInt8(ascii: "x")])
  }

  @Test func handleThatCannotBeReadThrows() async throws {
    let pipe = Pipe()
    await #expect(throws: CocoaError.self) {
      for try await _ in pipe.fileHandleForWriting.bytes {}
    }
  }
}
