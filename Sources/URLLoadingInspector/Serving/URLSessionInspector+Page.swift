#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// Shows what is recorded, live, in a page for browsers on this machine.
    ///
    /// The server listens on the loopback interface until the process ends. Its address has a random token in it: who doesn't have that,
    /// another user of the machine or another page, gets nothing.
    /// - Parameters:
    ///   - port: 0 for any port that is free.
    ///   - token: At least 16 letters and digits in place of a random token. Default: nil.
    /// - Returns: The page's address.
    /// - Throws: Where the port isn't free.
    public func servePage(port: Int = 0, token: String? = nil) throws -> URL {
      let server = try PageServer(self, port: port, token: token, title: ProcessTitle.text)
      PageServers.keep(server)
      return server.url
    }
  }

  enum ProcessTitle {
    /// The inspector's page is headed by it: the program's name, and its process's number in brackets.
    static var text: String { "\(ProcessInfo.processInfo.processName) (\(ProcessInfo.processInfo.processIdentifier))" }
  }
#endif
