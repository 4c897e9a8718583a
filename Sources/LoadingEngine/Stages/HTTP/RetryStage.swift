import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Repeats a request silently: after its connection turned out dead or broke (RFC 9110, 9.2.2; RFC 9112, 9.3.1), if the server certainly hasn't
/// acted on it (RFC 9113, 8.7), and after a 421 (RFC 9110, 15.5.20) or 425 (RFC 8470, 5.2), on another connection or without early data.
struct RetryStage: Stage {
  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    repeats(loaded.response.status, request, load) == nil
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    defer {
      context.terms.need = .any
      context.terms.avoidsEarlyData = false
    }
    var attempts: [RetryCause: Int] = [:]
    var refusals: Set<Refusal> = []
    while true {
      do throws(LoadError) {
        let loaded = try (consume outcome).get()
        guard let refusal = repeats(loaded.response.status, request, next.load), refusals.insert(refusal).inserted else { return loaded }
        try await leave(loaded, refusal, request, context)
      } catch {
        guard repeats(request, context, next.load, after: error, &attempts) else { throw error }
      }
      context.beginTransaction(request)
      outcome = await next.outcome(request, context)
    }
  }

  /// A response that refuses the request only because of its connection (421), or because it was early data (425). The same refusal again is
  /// final.
  private enum Refusal {
    case misdirected, tooEarly
  }

  private func repeats(_ status: Int?, _ request: LoadRequest, _ load: Load) -> Refusal? {
    let context = load.context
    switch status {
    case 421:
      let isElsewhere =
        context.record.networkProtocolName == "h3" && (request.target.map { session.pool.mayBeElsewhere($0.origin, context) } ?? false)
      let isRepeated = RetryRules.repeatsMisdirected(
        request, isReusedConnection: context.record.isReusedConnection, isElsewhere: isElsewhere,
        bodyWasTouched: load.hasRead(request.body))
      return isRepeated ? .misdirected : nil
    case 425:
      return RetryRules.repeatsTooEarly(request, sentEarlyData: context.record.connection?.quic?.earlyData == .accepted) ? .tooEarly : nil
    default: return nil
    }
  }

  private func leave(
    _ loaded: Loaded, _ refusal: Refusal, _ request: LoadRequest, _ context: LoadContext
  ) async throws(LoadError) {
    try await loaded.discardBody(context)
    context.record.response = loaded.response
    switch refusal {
    case .misdirected:
      if let origin = request.target?.origin { context.terms.need = session.pool.misdirected(origin, context) }
    // The request may also be sent on a connection other than this one, whose handshake is over by now: it must not be early data there either.
    case .tooEarly: context.terms.avoidsEarlyData = true
    }
  }

  /// Whether the request is sent again after an error; if so, prepares for that.
  private func repeats(
    _ request: LoadRequest, _ context: LoadContext, _ load: Load, after error: LoadError, _ attempts: inout [RetryCause: Int]
  ) -> Bool {
    leaveSilentServer(request, context, after: error)
    // The server has named an upload resource, so that it may have acted on the request.
    if load.isResumed(request), error.kind == .networkConnectionLost { return false }
    let hasAnswered = error.resendReason == .cutOff && (request.target.map { session.hasAnswered($0.origin) } ?? false)
    guard context.failure == nil,
      case .retry(let cause) = RetryRules.decide(
        after: error, request: request, retries: attempts, bodyWasTouched: load.hasRead(request.body), hasAnswered: hasAnswered)
    else { return false }
    prepare(request, context, after: error)
    context.observer?.willRepeat(after: .error(error))
    // Such a request isn't pipelined behind another one again, so that no limit is needed.
    if error.resendReason != .unanswered { attempts[cause, default: 0] += 1 }
    return true
  }

  /// Closes the idle connections to a server after a timeout on a kept connection: that may have lost its peer, and the others with it.
  private func leaveSilentServer(_ request: LoadRequest, _ context: LoadContext, after error: LoadError) {
    guard error.kind == .timedOut, context.record.isReusedConnection, context.record.response == nil else { return }
    if let origin = request.target?.origin { session.pool.closeIdle(to: session.pool.destination(origin, context)) }
  }

  /// Makes sure that the next attempt doesn't fail for the same reason.
  private func prepare(_ request: LoadRequest, _ context: LoadContext, after error: LoadError) {
    guard let origin = request.target?.origin else { return }
    switch error.resendReason {
    case .needsHTTP1: session.pool.restrict(origin)
    case .refused, .outrun, .unanswered: break
    case .staleConnection, .cutOff, .pathLost, .notConnected, nil: session.pool.closeIdle(to: session.pool.destination(origin, context))
    }
  }
}

extension Load {
  /// Whether a part of the body has been read and can't be had again.
  func hasRead(_ body: LoadRequest.Body) -> Bool {
    switch body {
    case .stream(let stream): begunStreams.contains(stream) && !(client.bodies?.suppliesNewStreams ?? false)
    case .pieces(let pieces): !pieces.canBegin
    case .none, .data, .file, .suppliedStream, .parts: false
    }
  }
}
