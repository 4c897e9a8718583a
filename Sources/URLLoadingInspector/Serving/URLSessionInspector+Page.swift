#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// Serves a page that shows the recording live to browsers on this machine.
    ///
    /// The server listens on the loopback interface until the process ends. The page's address contains a random token, without which other users of
    /// the machine and other web pages get no access.
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - token: At least 16 letters and digits to use instead of a random token. Default: nil.
    /// - Returns: The page's address.
    /// - Throws: An error if the port can't be used.
    public func servePage(port: Int = 0, token: String? = nil) throws -> URL {
      let server = try PageServer(self, port: port, token: token, title: ProcessTitle.text)
      PageServers.keep(server)
      return server.url
    }
  }

  enum ProcessTitle {
    /// The title of the inspector's page: the program's name, with its process ID in parentheses.
    static var text: String { "\(ProcessInfo.processInfo.processName) (\(ProcessInfo.processInfo.processIdentifier))" }
  }
#endif
