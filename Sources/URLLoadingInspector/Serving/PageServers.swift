#if Inspector
  import LoadingModel

  /// The servers that run until the process ends.
  enum PageServers {
    private static let all = Mutex<[PageServer]>([])

    static func keep(_ server: PageServer) { all.withLock { $0.append(server) } }
  }
#endif
