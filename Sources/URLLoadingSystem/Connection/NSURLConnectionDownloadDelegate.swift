import Foundation

/// Messages of a connection that loads into a file.
///
/// On Apple's platforms Newsstand alone used this protocol. Here the file of any connection with such a delegate is there.
/// A delegate that is an `NSURLConnectionDataDelegate` as well gets these messages instead of the body's bytes.
@preconcurrency
public protocol NSURLConnectionDownloadDelegate: NSURLConnectionDelegate {
  /// Bytes were written to the file. The expected total is -1 if unknown. By default nothing happens.
  func connection(_ connection: NSURLConnection, didWriteData bytesWritten: Int64, totalBytesWritten: Int64, expectedTotalBytes: Int64)

  /// An interrupted download continues. By default nothing happens. Never sent: a connection begins anew.
  func connectionDidResumeDownloading(_ connection: NSURLConnection, totalBytesWritten: Int64, expectedTotalBytes: Int64)

  /// The file is complete; the last message. Open or move the file before returning: it is removed afterwards.
  func connectionDidFinishDownloading(_ connection: NSURLConnection, destinationURL: URL)
}

extension NSURLConnectionDownloadDelegate {
  /// Does nothing.
  public func connection(
    _ connection: NSURLConnection, didWriteData bytesWritten: Int64, totalBytesWritten: Int64, expectedTotalBytes: Int64
  ) {}

  /// Does nothing.
  public func connectionDidResumeDownloading(_ connection: NSURLConnection, totalBytesWritten: Int64, expectedTotalBytes: Int64) {}
}
