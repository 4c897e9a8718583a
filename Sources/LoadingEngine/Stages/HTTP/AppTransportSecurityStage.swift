import HTTPTransport
import LoadingModel
import ProtocolRules

/// App Transport Security: refuses loads without TLS that the settings don't allow, and names the setting that would.
///
/// The first of HTTP's stages, there only if the settings are in force. Like Apple's, it is a rule of the built-in HTTP loader, so that the app's
/// own protocol classes aren't affected. Its demands on TLS are checked in the handshake.
struct AppTransportSecurityStage: Stage {
  let policy: TransportSecurityPolicy
  /// Whether all connections lead to a Unix socket: requests that aren't sent over a network need no TLS.
  var isLocal = false

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { refusal(of: request) == nil }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    if let refusal = refusal(of: request) { throw LoadError(.appTransportSecurityRequiresSecureConnection, .admission, refusal) }
    return try await conclude(await next.outcome(request, context), to: request, context, next)
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    do throws(LoadError) { return try outcome.get() } catch { throw explained(error, request) }
  }

  /// The reason why the request mustn't be sent, as text for an error; nil if it may.
  private func refusal(of request: LoadRequest) -> String? {
    guard !isLocal, let origin = request.target?.origin, !origin.isSecure, !origin.isUnixSocket else { return nil }
    return policy.cleartextRefusal(for: origin.host)
  }

  private func explained(_ error: LoadError, _ request: LoadRequest) -> LoadError {
    guard error.kind == .secureConnectionFailed, error.phase == .secure, let host = request.target?.origin.serverName,
      let note = policy.handshakeNote(for: host)
    else { return error }
    var explained = error
    explained.message += "; \(note)"
    return explained
  }
}
