#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// The recorded transfers as an HTTP Archive (HAR) 1.2, which browsers and other tools read. Active transfers are left out.
    /// - Parameter wholeMilliseconds: Whether times are rounded to whole milliseconds, for readers that accept only integers, such as the package
    ///   Replay.
    public func har(wholeMilliseconds: Bool = false) -> Data {
      HARDocument.data(transfers.filter(\.isEnded), wholeMilliseconds: wholeMilliseconds)
    }

    /// Writes ``har(wholeMilliseconds:)`` to a file that only the user can read.
    /// - Parameter wholeMilliseconds: Whether times are rounded to whole milliseconds, as for ``har(wholeMilliseconds:)``.
    public func writeHAR(to file: URL, wholeMilliseconds: Bool = false) throws {
      try PrivateFile.write(har(wholeMilliseconds: wholeMilliseconds), to: file)
    }

    /// The recorded transfers as JSON lines, one object for each: method, URL, status, phases in milliseconds, bytes, connection and error, without
    /// fields and bodies.
    public func jsonLines() -> Data {
      JSONLines.data(transfers)
    }
  }
#endif
