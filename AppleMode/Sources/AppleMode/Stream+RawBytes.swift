public import Foundation

// On Apple's platforms the streams' methods are Objective-C's, to which a raw pointer may be passed where bytes are asked for (SE-0324).
extension OutputStream {
  /// Writes up to `length` bytes at `buffer`. Returns how many were written; 0 or less is the end or an error.
  @_disfavoredOverload
  @discardableResult
  public func write(_ buffer: UnsafeRawPointer, maxLength length: Int) -> Int {
    write(buffer.assumingMemoryBound(to: UInt8.self), maxLength: length)
  }
}

extension InputStream {
  /// Reads up to `length` bytes into `buffer`. Returns how many were read; 0 is the end, less an error.
  @_disfavoredOverload
  @discardableResult
  public func read(_ buffer: UnsafeMutableRawPointer, maxLength length: Int) -> Int {
    read(buffer.assumingMemoryBound(to: UInt8.self), maxLength: length)
  }
}
