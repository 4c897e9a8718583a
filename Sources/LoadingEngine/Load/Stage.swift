import HTTPTransport
import LoadingModel
import NIOCore

/// One step of each load. A value; the state of one load is in the function's local variables, or in the `Load`.
///
///     request ──> passes ── true ──> the next stage ──> settle ── true ──> the stage above
///                    └─ false ─> load                      └─ false ─> answer
///
/// Most stages have nothing to do for most loads, and say so without waiting: a load waits only in stages that have something to do for it.
package protocol Stage: Sendable {
  /// Whether the request goes to the next stage unchanged. If so, `load` isn't called; `settle` is with the response, and `answer` where `settle`
  /// returns false. Default: false.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool

  /// The stage's whole work for a request that doesn't pass. Default, for a stage that no request needs before the response: sends it on, then
  /// settles or answers.
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded

  /// Handles the response to a request that has passed, as far as that takes no waiting; false if `answer` must handle it. Default: true.
  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool

  /// Handles the outcome of a request that has passed: its response if `settle` returned false, or its error. Default: returns or throws it
  /// unchanged.
  ///
  /// The outcome is consumed, so that a response which isn't the final one doesn't stay in memory while the next request runs.
  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded
}

/// The response or error of a request, as the stages above get it.
package typealias Outcome = Result<Loaded, LoadError>

extension Stage {
  package func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { false }

  package func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    try await conclude(await next.outcome(request, context), to: request, context, next)
  }

  /// Settles or answers the outcome of a request.
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

/// The stages after one stage, for one load: the stage calls it to send a request on.
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
    // The last stage can't pass a request on: none follows.
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

  /// The result of `callAsFunction` as a value instead of an error thrown.
  func outcome(_ request: LoadRequest, _ context: LoadContext) async -> Outcome {
    do throws(LoadError) { return .success(try await self(request, context)) } catch { return .failure(error) }
  }

  private func behind(_ place: Int) -> Next { Next(stages, at: place + 1, load) }

  /// Passes the outcome of the stage at `place` up through the stages that had passed the request.
  // Not inlined: most responses pass all stages, and the stack frame of each waiting load would have to hold room for this.
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

/// The stages that a session's loads go through, outermost first, in one list for each kind; `LoadingPlan` makes them.
package struct StageLists: Sendable {
  /// The stages of every load up to the choice of its protocol, followed by HTTP's: most loads pass the choice. `http` has HTTP's alone.
  package let session: [any Stage]
  package let http: [any Stage]
  /// The stages of a WebSocket's opening handshake: HTTP's, without those that concern bodies.
  package let webSocket: [any Stage]
  /// The stages of a stream task.
  package let stream: [any Stage]
  /// The stages of FTP loads.
  package let ftp: [any Stage]

  /// Makes the lists; stages that are nil, because the session's settings don't need them, are left out.
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
