#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// What is recorded, as an HTTP Archive 1.2: browsers and other tools read it. Transfers that are under way are left out.
    /// - Parameter wholeMilliseconds: Whether times have no fractions: some readers, such as the package Replay, take whole numbers alone.
    public func har(wholeMilliseconds: Bool = false) -> Data {
      HARDocument.data(transfers.filter(\.isEnded), wholeMilliseconds: wholeMilliseconds)
    }

    /// Saves ``har(wholeMilliseconds:)`` in a file that only the user can read.
    /// - Parameter wholeMilliseconds: As that of ``har(wholeMilliseconds:)``.
    public func writeHAR(to file: URL, wholeMilliseconds: Bool = false) throws {
      try PrivateFile.write(har(wholeMilliseconds: wholeMilliseconds), to: file)
    }

    /// What is recorded, one JSON object a line: method, URL, status, phases in milliseconds, bytes, connection, error; no fields and bodies.
    public func jsonLines() -> Data {
      JSONLines.data(transfers)
    }
  }
#endif
