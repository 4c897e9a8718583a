import Foundation

/// Messages of a connection that loads into a file.
/// On Apple's platforms only Newsstand used this protocol. Here any connection whose delegate conforms to it loads into a file. A delegate that is
/// also an `NSURLConnectionDataDelegate` gets these messages instead of the body's bytes.
@preconcurrency
public protocol NSURLConnectionDownloadDelegate: NSURLConnectionDelegate {
  /// Bytes were written to the file. The expected total is -1 if unknown. By default nothing happens.
  func connection(_ connection: NSURLConnection, didWriteData bytesWritten: Int64, totalBytesWritten: Int64, expectedTotalBytes: Int64)

  /// An interrupted download continues. This library never calls it: a connection always begins anew.
  func connectionDidResumeDownloading(_ connection: NSURLConnection, totalBytesWritten: Int64, expectedTotalBytes: Int64)

  /// The file is complete; this is the last message. Open or move the file before returning: it is removed afterwards.
  func connectionDidFinishDownloading(_ connection: NSURLConnection, destinationURL: URL)
}

extension NSURLConnectionDownloadDelegate {
  /// Default implementation: does nothing.
  public func connection(
    _ connection: NSURLConnection, didWriteData bytesWritten: Int64, totalBytesWritten: Int64, expectedTotalBytes: Int64
  ) {}

  /// Default implementation: does nothing.
  public func connectionDidResumeDownloading(_ connection: NSURLConnection, totalBytesWritten: Int64, expectedTotalBytes: Int64) {}
}
