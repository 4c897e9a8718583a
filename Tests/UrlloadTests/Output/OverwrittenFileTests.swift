import Dispatch
import Foundation
import Testing

@testable import urlload

/// Files whose content alone can be replaced: mount points, and other users' files in folders like /tmp.
@Suite(.timeLimit(.minutes(10))) struct OverwrittenFileTests {
  /// <fcntl.h>: F_ADD_SEALS, F_SEAL_GROW and F_SEAL_WRITE, which Swift doesn't see.
  private static let (addSeals, sealGrowth, sealWriting): (Int32, Int32, Int32) = (1033, 4, 8)

  private static func folder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    try await Tool.withDirectory { _, directory in try await body(directory) }
  }

  /// A file of the memory that refuses some of what is done to files.
  private static func memoryFile(_ content: String) throws -> Int32 {
    typealias Make = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let symbol = try #require(dlsym(nil, "memfd_create"))
    // MFD_CLOEXEC and MFD_ALLOW_SEALING.
    let descriptor = unsafeBitCast(symbol, to: Make.self)("target", 3)
    try #require(descriptor >= 0)
    #expect(Descriptor.writeAll(Data(content.utf8), to: descriptor) == nil)
    return descriptor
  }

  private static func text(_ descriptor: Int32) throws -> String {
    String(decoding: try Descriptor.read(descriptor, at: 0, count: 1 << 20).get(), as: UTF8.self)
  }

  /// A content with a name, open for reading.
  private static func content(_ text: String, in folder: URL, over target: String) throws -> OverwrittenFile {
    let temporary = folder.appending(path: ".out.urlload-1").path
    try Data(text.utf8).write(to: URL(filePath: temporary))
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    return OverwrittenFile(content: descriptor, temporary: temporary, target: target, path: "out")
  }

  @Test(arguments: ["", "new", "something new that is longer"]) func longerAndShorterContentsReplaceTheOldOne(text: String) async throws {
    try await Self.folder { folder in
      let target = folder.appending(path: "out")
      try Data("something old".utf8).write(to: target)
      try Self.content(text, in: folder, over: target.path).write()
      #expect(try Data(contentsOf: target) == Data(text.utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }
  }

  /// As where the disk is full.
  @Test func fileThatCannotBecomeAsLongStaysAsItWas() async throws {
    try await Self.folder { folder in
      let target = try Self.memoryFile("old")
      defer { close(target) }
      try #require(fcntl(target, Self.addSeals, Self.sealGrowth) == 0)
      let file = try Self.content("something new", in: folder, over: NamelessFile.path(target))
      let failure = #expect(throws: ToolFailure.self) { try file.write() }
      #expect(failure?.status == .writeFailed)
      #expect(try Self.text(target) == "old")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func contentIsKeptAndNamedWhereWritingBreaksOff() async throws {
    try await Self.folder { folder in
      let target = try Self.memoryFile("old")
      defer { close(target) }
      try #require(fcntl(target, Self.addSeals, Self.sealWriting) == 0)
      let file = try Self.content("new", in: folder, over: NamelessFile.path(target))
      let temporary = try #require(file.temporary)
      let failure = #expect(throws: ToolFailure.self) { try file.write() }
      #expect(failure?.message.contains("all that was to be written is in \(temporary)") == true, "\(failure?.message ?? "")")
      #expect(try Data(contentsOf: URL(filePath: temporary)) == Data("new".utf8))
    }
  }

  @Test func contentWithoutANameGetsOneWhereWritingBreaksOff() throws {
    let content = try #require(NamelessFile.make())
    #expect(Descriptor.writeAll(Data("new".utf8), to: content) == nil)
    let file = OverwrittenFile(content: content, temporary: nil, target: "/dev/full", path: "out")
    let failure = try #require(#expect(throws: ToolFailure.self) { try file.write() })
    // A file system without nameless files can't give one a name.
    guard let kept = failure.message.firstMatch(of: #/ is in (.*): move/#) else {
      #expect(failure.message.contains("load it again"))
      return
    }
    defer { unlink(String(kept.1)) }
    #expect(try Data(contentsOf: URL(filePath: String(kept.1))) == Data("new".utf8))
  }

  /// The file that is written over is a pipe, which takes what the test takes out of it.
  @Test func firstSignalWaitsForTheEndAndASecondOneNamesTheContent() async throws {
    try await Self.folder { folder in
      let pipe = folder.appending(path: "pipe").path
      try #require(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDWR | O_CLOEXEC)
      try #require(reader >= 0)
      defer { close(reader) }
      let output = try Output(OutputPlan(destination: .file(folder.appending(path: "out").path)))
      output.discard()
      let text = String(repeating: "0123456789abcdef", count: 1 << 16)
      let file = try Self.content(text, in: folder, over: pipe)
      let (ends, ending) = AsyncStream.makeStream(of: String?.self)
      Thread.detachNewThread {
        // A pipe has no length, which makes the end a failure.
        do throws(ToolFailure) {
          try output.overwrite(file)
          ending.yield(nil)
        } catch {
          ending.yield(error.message)
        }
        ending.finish()
      }
      var first: UInt8 = 0
      try #require(read(reader, &first, 1) == 1)
      #expect(output.discard() == WriteFailure.interrupted("out", keptAs: file.temporary))
      #expect(try Data(contentsOf: URL(filePath: try #require(file.temporary))).count == text.utf8.count)
      let (waits, waiting) = AsyncStream.makeStream(of: String?.self)
      Thread.detachNewThread {
        output.finishOverwriting()
        waiting.yield(output.discard())
        waiting.finish()
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var count = 1
      while count < text.utf8.count { count += max(0, read(reader, &buffer, buffer.count)) }
      var failure: String?
      for await message in ends { failure = message }
      #expect(failure?.contains("all that was to be written is in \(file.temporary ?? "")") == true, "\(failure ?? "")")
      // The first signal tells why the file isn't what it should be.
      for await told in waits { #expect(told == failure) }
    }
  }
}
