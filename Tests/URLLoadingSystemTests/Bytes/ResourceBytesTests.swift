import Foundation
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct ResourceBytesTests {
  /// A file that exists for the length of `body`.
  private func withFile<R>(_ contents: Data, _ body: (URL) async throws -> R) async throws -> R {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("bytes-\(UUID().uuidString)")
    try contents.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file)
  }

  @Test(arguments: [0, 1, FileChunks.chunkSize - 1, FileChunks.chunkSize, FileChunks.chunkSize * 2 + 1])
  func fileBytesAreThoseOfTheFile(count: Int) async throws {
    let contents = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let read = try await withFile(contents) { try await collect($0.resourceBytes) }
    #expect(Data(read) == contents)
  }

  @Test func linesOfAFileCrossItsPieces() async throws {
    let lines = (0..<20_000).map { "line number \($0)" }
    let read = try await withFile(Data(lines.joined(separator: "\n").utf8)) { try await collect($0.lines) }
    #expect(read == lines)
  }

  @Test func everyIterationReadsTheFileAnew() async throws {
    try await withFile(Data("a\nb".utf8)) { file async throws in
      let lines = file.lines
      #expect(try await collect(lines) == ["a", "b"])
      #expect(try await collect(lines) == ["a", "b"])
    }
  }

  @Test func endOfFileIsFinal() async throws {
    try await withFile(Data([7])) { file async throws in
      var iterator = file.resourceBytes.makeAsyncIterator()
      #expect(try await iterator.next() == 7)
      #expect(try await iterator.next() == nil)
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func missingFileIsACocoaErrorThatNamesIt() async {
    let file = URL(fileURLWithPath: "/nonexistent/bytes")
    let error = await #expect(throws: CocoaError.self) { try await collect(file.resourceBytes) }
    #expect(error?.code == .fileReadNoSuchFile)
    #expect(error?.filePath == file.path)
    #expect((error?.underlying as NSError?)?.code == Int(ENOENT))
  }

  @Test func directoryIsAnErrorNotATrap() async {
    let error = await #expect(throws: CocoaError.self) { try await collect(FileManager.default.temporaryDirectory.lines) }
    #expect((error?.underlying as NSError?)?.code == Int(EISDIR))
  }

  @Test func cancelledReaderStopsBeforeTheNextPiece() async throws {
    try await withFile(Data(repeating: 1, count: FileChunks.chunkSize * 4)) { file async throws in
      let reading = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await collect(file.resourceBytes)
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
  }
}
