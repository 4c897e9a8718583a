import Foundation

/// Messages of stream tasks.
@preconcurrency
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
  /// The reading side was closed. Bytes that have arrived can still be read.
  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

  /// The writing side was closed; outstanding writes complete with an error.
  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

  /// A better route to the host is available: a hint to connect anew.
  func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)

  /// The task ended with `captureStreams()`. Both streams are unopened and belong to the receiver.
  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream, outputStream: OutputStream)
}

extension URLSessionStreamDelegate {
  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.noteDefault(self, .readClosed)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.noteDefault(self, .writeClosed)
  }

  /// Default implementation: does nothing.
  public func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) {
    DelegateProbe.noteDefault(self, .betterRouteDiscovered)
  }

  /// Default implementation: does nothing.
  public func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream, outputStream: OutputStream
  ) {
    DelegateProbe.noteDefault(self, .didBecomeStreams)
  }
}
