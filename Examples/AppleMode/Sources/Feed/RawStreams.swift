import Foundation

/// Bytes through streams by raw pointers, which Objective-C's methods take.
enum RawStreams {
  static func written(_ data: Data) -> Data? {
    let stream = OutputStream.toMemory()
    stream.open()
    defer { stream.close() }
    data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      stream.write(start, maxLength: 1)
      stream.write(start + 1, maxLength: bytes.count - 1)
    }
    return stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
  }

  static func read(_ data: Data) -> Data {
    let stream = InputStream(data: data)
    stream.open()
    defer { stream.close() }
    var result = Data()
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: 3, alignment: 1)
    defer { buffer.deallocate() }
    while stream.hasBytesAvailable {
      let count = stream.read(buffer, maxLength: 3)
      guard count > 0 else { break }
      result.append(Data(bytes: buffer, count: count))
    }
    return result
  }
}
