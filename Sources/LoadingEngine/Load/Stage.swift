import HTTPTransport
import LoadingModel
import NIOCore

/// One step on the way of a load. A value; what belongs to one load lives in the function's locals or in the `Load`.
///
///     request ──> passes ── true ──> the next stage ──> settle ── true ──> the stage above
///                    └─ false ─> load                      └─ false ─> answer
///
/// What most stages have to say of most loads is nothing, and they say it without waiting: a load waits in the stages alone that have
/// something to do for it.
package protocol Stage: Sendable {
  /// Whether the request goes on as it is. Then the stage isn't asked to `load`; it sees what comes back. Default: false.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool

  /// All of the stage's work, for a request that doesn't pass. Default, for a stage that all requests pass: what comes back is settled or
  /// answered.
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded

  /// Does what takes no waiting with the response to a request that has passed; false if the response is for `answer`. Default: true.
  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool

  /// What becomes of a request that has passed: of its response, if that isn't settled, or of its error. Default: it stays what it is.
  ///
  /// Consumes it, so that a response which isn't the last doesn't stay for as long as the next one takes.
  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded
}

/// How a request has ended, seen from the stages above.
package typealias Outcome = Result<Loaded, LoadError>

extension Stage {
  package func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { false }

  package func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    try await conclude(await next.outcome(request, context), to: request, context, next)
  }

  /// Settles or answers what a request has come to.
  func conclude(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    if case .success(var loaded) = outcome, settle(&loaded, to: request, next.load) { return loaded }
    return try await answer(consume outcome, to: request, context, next)
  }

  package func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool { true }

  package func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    try outcome.get()
  }
}

/// The rest of a list of stages, for one load.
package struct Next: Sendable {
  private let stages: [any Stage]
  private let index: Int
  package let load: Load
  package var client: any LoadClient { load.client }

  package init(_ stages: [any Stage], _ load: Load) {
    self.init(stages, at: 0, load)
  }

  private init(_ stages: [any Stage], at index: Int, _ load: Load) {
    self.stages = stages
    self.index = index
    self.load = load
  }

  package func callAsFunction(_ request: LoadRequest, _ context: LoadContext) async throws(LoadError) -> Loaded {
    guard index < stages.count else { throw LoadError(.unknown, .admission, "the loading plan has no last stage") }
    var place = index
    // There is nothing behind the last stage that it could pass a request to.
    while place < stages.count - 1, stages[place].passes(request, context, load) { place += 1 }
    var loaded: Loaded
    do throws(LoadError) {
      loaded = try await stages[place].load(request, context, behind(place))
    } catch {
      return try await answer(.failure(error), to: request, context, below: place)
    }
    while place > index {
      guard stages[place - 1].settle(&loaded, to: request, load) else {
        return try await answer(.success(consume loaded), to: request, context, below: place)
      }
      place -= 1
    }
    return loaded
  }

  /// What `callAsFunction` returns or throws.
  func outcome(_ request: LoadRequest, _ context: LoadContext) async -> Outcome {
    do throws(LoadError) { return .success(try await self(request, context)) } catch { return .failure(error) }
  }

  private func behind(_ place: Int) -> Next { Next(stages, at: place + 1, load) }

  /// Takes what the stage at `place` has come to up through the stages that have passed the request.
  // Not inlined: most responses pass all stages, and the room for this would be in each load that waits.
  @inline(never)
  private func answer(
    _ first: consuming Outcome, to request: LoadRequest, _ context: LoadContext, below place: Int
  ) async throws(LoadError) -> Loaded {
    var outcome = consume first
    for place in (index..<place).reversed() {
      do throws(LoadError) {
        outcome = .success(try await stages[place].conclude(consume outcome, to: request, context, behind(place)))
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }
}

/// The lists of stages that a session's loads go through, outermost first; `LoadingPlan` makes them.
package struct StageLists: Sendable {
  /// The way of every load up to the choice of its protocol, and HTTP's behind it: most loads pass the choice.
  package let session: [any Stage]
  package let http: [any Stage]
  /// The way of a WebSocket's opening handshake: HTTP's, without what concerns bodies.
  package let webSocket: [any Stage]
  /// The way to a stream's connection.
  package let stream: [any Stage]
  /// The way to a server of FTP's.
  package let ftp: [any Stage]

  /// The lists, with nil for stages that the session's settings have no use for.
  package init(
    session: [(any Stage)?] = [], http: [(any Stage)?] = [], webSocket: [(any Stage)?] = [], stream: [(any Stage)?] = [],
    ftp: [(any Stage)?] = []
  ) {
    self.session = StageLists.list(session + http)
    self.http = StageLists.list(http)
    self.webSocket = StageLists.list(webSocket)
    self.stream = StageLists.list(stream)
    self.ftp = StageLists.list(ftp)
  }

  private static func list(_ stages: [(any Stage)?]) -> [any Stage] {
    let stages = stages.compactMap(\.self)
    #if DEBUG
      return UnpassedStage.around(stages)
    #else
      return stages
    #endif
  }
}
