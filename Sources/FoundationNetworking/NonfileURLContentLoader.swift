@_spi(SwiftCorelibsFoundation) public import Foundation
import URLLoadingSystem

/// Loads the contents of URLs that aren't file URLs, for `NSData` and `NSString`.
///
/// Foundation looks this class up by its full name at run time, `FoundationNetworking._NSNonfileURLContentLoader`, and keeps one
/// instance. An app has no use for it.
public final class _NSNonfileURLContentLoader: _NSNonfileURLContentLoading {
  /// Makes a loader.
  public init() {}

  /// Loads `url`; returns its contents, and the name of their text encoding if the server has sent one. Blocks the calling thread.
  /// - Throws: `CocoaError` with code `fileReadUnknown`.
  public func contentsOf(url: URL) throws -> (result: NSData, textEncodingNameIfAvailable: String?) {
    let (data, textEncoding) = try RemoteContents.load(url)
    return (NSData(data: data), textEncoding)
  }
}
