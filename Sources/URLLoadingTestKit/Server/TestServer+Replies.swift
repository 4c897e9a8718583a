#if TestKit
  extension TestServer {
    /// Appends replies to the queue. Each answers one request, whatever its path, before the routes are asked.
    public func enqueue(_ replies: Reply...) { replySource.enqueue(replies) }

    /// Appends replies to the queue.
    public func enqueue(contentsOf replies: [Reply]) { replySource.enqueue(replies) }

    /// How many queued replies haven't been used.
    public var queuedReplies: Int { replySource.queued }

    /// Answers requests for `path` by what `responder` returns. It runs on the server's event loop: it must not block.
    ///
    /// `path` may contain `{name}` for any one segment and may end in `*` for any rest. Without a method, every method matches. Of two
    /// routes that match, the one added later answers.
    public func route(_ path: String, _ method: Method? = nil, _ responder: @escaping @Sendable (RecordedRequest) -> Reply) {
      var routes = Routes()
      routes.add(path, method, responder)
      add(routes)
    }

    /// Answers requests for `path` by the same reply each time.
    public func route(_ path: String, _ method: Method? = nil, reply: Reply) {
      var routes = Routes()
      routes.add(path, method, reply: reply)
      add(routes)
    }

    /// Adds a set of routes, such as `.standard`.
    public func add(_ routes: Routes) { replySource.add(routes.list) }

    /// The gate of this name, made closed when it is first asked for. `/delay/{name}` and `RawStep.waitForRelease` wait at it.
    public func gate(_ name: String) -> Gate { replySource.gate(name) }
  }
#endif
