import Foundation

/// A connection's delegate, cast to each of the three delegate protocols; nil for those to which it doesn't conform.
///
/// Kept by the connection until it starts, then by the load until it ends.
struct ConnectionReceivers: @unchecked Sendable {
  // @unchecked: the delegate isn't Sendable; it is called where the app has scheduled the connection, one call at a time.
  let general: (any NSURLConnectionDelegate)?
  let data: (any NSURLConnectionDataDelegate)?
  let download: (any NSURLConnectionDownloadDelegate)?

  init(_ delegate: Any?) {
    general = delegate as? any NSURLConnectionDelegate
    data = delegate as? any NSURLConnectionDataDelegate
    download = delegate as? any NSURLConnectionDownloadDelegate
  }
}
