import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import URLLoadingTestKit

@testable import LoadingEngine

/// The last stage of a load under test, in place of everything below: records the requests that reach it and answers from a list.
final class ScriptedStage: Stage {
  /// What one request is answered with.
  enum Step: Sendable {
    case answer(Answer)
    case fail(LoadError)
    /// Waits at the gate before it continues; an interruption of the load ends the wait.
    indirect case held(Gate, Step)
    /// Looks at the load, or changes it, before it continues.
    indirect case with(@Sendable (Load) -> Void, Step)
  }

  struct Answer: Sendable {
    var head: ResponseHead
    /// Made for each request that is answered so: the answer can be shared by tests.
    var makeBody: @Sendable () -> PieceBody
    var framing: ResponseBodyFraming
    var proposedRedirect: LoadRequest?
  }

  private struct State {
    var steps: [Step]
    var requests: [LoadRequest] = []
  }

  private let state: Mutex<State>

  init(_ steps: [Step]) { state = Mutex(State(steps: steps)) }
  convenience init(_ steps: Step...) { self.init(steps) }

  /// Those that have come so far.
  var requests: [LoadRequest] { state.withLock(\.requests) }
  var last: LoadRequest? { requests.last }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let step = state.withLock { state -> Step? in
      state.requests.append(request)
      return state.steps.isEmpty ? nil : state.steps.removeFirst()
    }
    guard let step else { throw LoadError(.unknown, .admission, "the script has no more answers") }
    return try await perform(step, request, next.load)
  }

  private func perform(_ step: Step, _ request: LoadRequest, _ load: Load) async throws(LoadError) -> Loaded {
    switch step {
    case .fail(let error): throw error
    case .held(let gate, let step):
      try await gate.pass(load.context)
      return try await perform(step, request, load)
    case .with(let action, let step):
      action(load)
      return try await perform(step, request, load)
    case .answer(let answer):
      let context = load.context
      context.record.fetchType = .networkLoad
      let body = answer.makeBody()
      body.context.withLock { $0 = context }
      let url = request.url ?? URL(filePath: "/")
      let length: Int64 = if case .length(let length) = answer.framing { length } else { -1 }
      return Loaded(
        response: LoadResponse(url: url, kind: .http(answer.head), expectedLength: length), body: body, framing: answer.framing,
        proposedRedirect: answer.proposedRedirect)
    }
  }
}

extension ScriptedStage.Step {
  /// A response with a whole body in pieces, delimited by its length.
  static func status(_ status: Int, _ fields: [HeaderFields.Entry] = [], _ pieces: String...) -> ScriptedStage.Step {
    let length = pieces.reduce(0) { $0 + $1.utf8.count }
    return .status(status, fields, framing: .length(Int64(length))) { PieceBody(pieces.map { .bytes($0) }) }
  }

  /// A response with this very body, for one request.
  static func status(
    _ status: Int, _ fields: [HeaderFields.Entry] = [], _ body: PieceBody, framing: ResponseBodyFraming
  ) -> ScriptedStage.Step {
    .status(status, fields, framing: framing) { body }
  }

  private static func status(
    _ status: Int, _ fields: [HeaderFields.Entry], framing: ResponseBodyFraming, _ makeBody: @escaping @Sendable () -> PieceBody
  ) -> ScriptedStage.Step {
    .answer(ScriptedStage.Answer(head: ResponseHead(status: status, headers: HeaderFields(fields)), makeBody: makeBody, framing: framing))
  }
}

extension LoadRequest {
  init(_ url: String, method: String = "GET", _ fields: [HeaderFields.Entry] = [], body: Body = .none) {
    self.init(url: URL(string: url))
    mutate {
      $0.method = method
      $0.headers = HeaderFields(fields)
      $0.body = body
    }
  }
}
