#if Inspector
  import LoadingModel

  /// Keeps page servers that `servePage(port:token:)` has started alive until the process ends.
  enum PageServers {
    private static let all = Mutex<[PageServer]>([])

    static func keep(_ server: PageServer) { all.withLock { $0.append(server) } }
  }
#endif
