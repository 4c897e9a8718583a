#if TestKit
  extension TestServer {
    /// Appends replies to the queue. Each one answers one request, whatever its path; routes are used when the queue is empty.
    public func enqueue(_ replies: Reply...) { replySource.enqueue(replies) }

    /// Appends replies to the queue, as `enqueue(_:)` does.
    public func enqueue(contentsOf replies: [Reply]) { replySource.enqueue(replies) }

    /// How many queued replies haven't been sent yet.
    public var queuedReplies: Int { replySource.queued }

    /// Answers requests for `path` by the result of `responder`, which runs on the server's event loop and must not block.
    ///
    /// `path` may contain `{name}` for any one segment and may end in `*` for any remaining segments. Without a method, every method matches. If two
    /// routes match, the one that was added later answers.
    public func route(_ path: String, _ method: Method? = nil, _ responder: @escaping @Sendable (RecordedRequest) -> Reply) {
      var routes = Routes()
      routes.add(path, method, responder)
      add(routes)
    }

    /// Answers each request for `path` by the same reply.
    public func route(_ path: String, _ method: Method? = nil, reply: Reply) {
      var routes = Routes()
      routes.add(path, method, reply: reply)
      add(routes)
    }

    /// Adds a set of routes, such as `.standard`.
    public func add(_ routes: Routes) { replySource.add(routes.list) }

    /// The gate of this name, which is created closed at the first use of the name. `/delay/{name}` and `RawStep.waitForRelease` wait at it.
    public func gate(_ name: String) -> Gate { replySource.gate(name) }
  }
#endif
