#if TestKit
  import Foundation
  import LoadingModel

  /// The replies of a server: the queue, the routes and the named gates. Tests change them; the server's event loop reads them.
  final class ReplySource: Sendable {
    private struct State: Sendable {
      var queue: [Reply] = []
      var routes: [RoutePattern] = []
      var gates: [String: Gate] = [:]
      /// The value of the `Alt-Svc` field that is added to replies without one; nil to add none.
      var alternative: String?
    }

    private let state = Mutex(State())

    func enqueue(_ replies: [Reply]) { state.withLock { $0.queue += replies } }
    func add(_ routes: [RoutePattern]) { state.withLock { $0.routes += routes } }
    var queued: Int { state.withLock { $0.queue.count } }

    var alternative: String? {
      get { state.withLock(\.alternative) }
      set { state.withLock { $0.alternative = newValue } }
    }

    func gate(_ name: String) -> Gate {
      state.withLock { state in
        if let gate = state.gates[name] { return gate }
        let gate = Gate()
        state.gates[name] = gate
        return gate
      }
    }

    /// Chooses the plan for `request`: the next queued reply; without one, the matching route that was added last; without one, a 405 or 404.
    func plan(for request: inout RecordedRequest) -> ReplyPlan {
      let (queued, routes) = state.withLock { state -> (Reply?, [RoutePattern]) in
        state.queue.isEmpty ? (nil, state.routes) : (state.queue.removeFirst(), [])
      }
      if let queued { return ReplyPlan(fixed: queued) }
      let path = request.path.split(separator: "/")
      var allowed: [String] = []
      for route in routes.reversed() {
        guard let parameters = route.match(path) else { continue }
        guard route.accepts(request.method) else {
          if let method = route.method { allowed.append(method.rawValue) }
          continue
        }
        request.parameters = parameters
        return route.plan
      }
      if !allowed.isEmpty {
        return ReplyPlan(fixed: Reply(405, headers: ["Allow": allowed.joined(separator: ", ")]))
      }
      return ReplyPlan(fixed: .text("The test server has no route for \(request.method) \(request.path).\n", status: 404))
    }
  }

  /// How the server reads and answers one request.
  struct ReplyPlan: Sendable {
    var reading = BodyReading.first
    /// The informational responses that are sent before the request's body is read.
    var informational: [Reply.Informational] = []
    /// The number of bytes of the request's body after which the exchange is broken off; nil for never.
    var breakOff: Int?
    var responder: @Sendable (RecordedRequest, ReplySource) -> Reply

    init(fixed reply: Reply) {
      reading = BodyReading(reply.faults)
      for fault in reply.faults {
        switch fault {
        case .informationalAtOnce: informational = reply.informational
        case .breakOffWithinRequest(let bytes): breakOff = bytes
        default: continue
        }
      }
      responder = { _, _ in reply }
    }

    init(responder: @escaping @Sendable (RecordedRequest, ReplySource) -> Reply) { self.responder = responder }
  }
#endif
