import NIOCore

/// An open file, parts of which can be sent by sendfile(2). Closed when the last part has been sent or dropped.
package final class SourceFile: Sendable {
  package let descriptor: Int32
  private let handle: NIOFileHandle

  /// - Parameter descriptor: Belongs to this object from now on.
  package init(taking descriptor: Int32) {
    self.descriptor = descriptor
    // NIO (2.101) sends by sendfile only what `FileRegion` describes, which takes a `NIOFileHandle`; every initializer of that one is
    // deprecated, with or without the attribute. What NIO offers instead, NIOFileSystem, reads into buffers and has no part that a channel
    // could send. Calling sendfile here would need the channel's write readiness, which NIO tells only of its own pending writes.
    handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
  }

  fileprivate func region(_ range: Range<Int64>) -> FileRegion {
    FileRegion(fileHandle: handle, readerIndex: Int(range.lowerBound), endIndex: Int(range.upperBound))
  }

  deinit { try? handle.close() }
}

/// A range of bytes of an open file, which is sent by sendfile(2).
package struct FilePart: Sendable {
  package let file: SourceFile
  package let range: Range<Int64>

  package init(_ file: SourceFile, _ range: Range<Int64>) {
    self.file = file
    self.range = range
  }

  /// Writes the part; the file stays open until the socket has taken it or is closed.
  func write(_ context: ChannelHandlerContext) {
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { [file] _ in withExtendedLifetime(file) {} }
    context.write(NIOAny(IOData.fileRegion(file.region(range))), promise: written)
  }
}
