import CLoadingProcess
import Foundation
import Testing

@testable import LoadingEngine

/// Bytes that the system moves from a socket into a file.
@Suite(.timeLimit(.minutes(10))) struct PipeTransferTests {
  /// Two connected sockets and a pipe. Closed at the end.
  private func withPipe(_ capacity: Int, _ body: (_ ours: CInt, _ theirs: CInt, _ pipe: [CInt]) throws -> Void) throws {
    var (sockets, pipe): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
    try #require(uls_pipe_open(&pipe, capacity) == 0)
    defer { for descriptor in sockets + pipe { close(descriptor) } }
    try body(sockets[0], sockets[1], pipe)
  }

  @Test func whatIsMissingIsTold() throws {
    try withPipe(4096) { ours, theirs, pipe in
      #expect(uls_pipe_fill(ours, pipe[1], 100) == -1 && errno == EAGAIN)
      #expect(uls_socket_waiting(ours) == 0)
      #expect(write(theirs, [1, 2, 3], 3) == 3)
      #expect(uls_socket_waiting(ours) == 3)
      #expect(uls_pipe_fill(ours, pipe[1], 2) == 2)
      #expect(uls_socket_waiting(ours) == 1)
    }
  }

  /// A process may not have as many as it likes, and gives them back.
  @Test func pipesAreFew() {
    var pipes = (0..<30).compactMap { _ in DirectPipe() }
    #expect(pipes.count <= 16)
    pipes = []
    #expect(DirectPipe() != nil)
  }

  /// Files opened for appending can't be spliced to: they represent those of file systems that can't.
  @Test(arguments: [0, O_APPEND]) func everyKindOfFileTakesThem(_ mode: CInt) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path(percentEncoded: false)
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0o600)
    try #require(file >= 0)
    defer {
      close(file)
      unlink(path)
    }
    try withPipe(1 << 20) { ours, theirs, pipe in
      let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
      for _ in 0..<2 {
        #expect(write(theirs, bytes, bytes.count) == bytes.count)
        #expect(uls_pipe_fill(ours, pipe[1], bytes.count) == bytes.count)
        var written = 0
        while written < bytes.count, case let count = uls_pipe_drain(pipe[0], file, bytes.count - written), count > 0 { written += count }
        #expect(written == bytes.count)
      }
      let content = try Data(contentsOf: URL(filePath: path))
      #expect(content == Data(bytes + bytes))
    }
  }

  @Test func fullDiskIsTold() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    defer { close(full) }
    try withPipe(4096) { ours, theirs, pipe in
      #expect(write(theirs, [1], 1) == 1)
      #expect(uls_pipe_fill(ours, pipe[1], 1) == 1)
      #expect(uls_pipe_drain(pipe[0], full, 1) == -1 && errno == ENOSPC)
    }
  }
}
