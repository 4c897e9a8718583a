import HTTPTransport
import LoadingModel
import ProtocolRules

/// App Transport Security: refuses loads without TLS that the settings don't allow, and says which setting would.
///
/// First of HTTP's stages and there only where the settings are in force: like Apple's, it is a rule of the built-in HTTP loader and asks
/// nothing of an app's own protocol classes. What it asks of TLS itself is checked in the handshake.
struct AppTransportSecurityStage: Stage {
  let policy: TransportSecurityPolicy

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    try checkScheme(request)
    do throws(LoadError) { return try await next(request, context) } catch { throw explained(error, request) }
  }

  @inline(never)
  private func checkScheme(_ request: LoadRequest) throws(LoadError) {
    guard let origin = request.target?.origin, !origin.isSecure, let refusal = policy.cleartextRefusal(for: origin.host) else { return }
    throw LoadError(.appTransportSecurityRequiresSecureConnection, .admission, refusal)
  }

  @inline(never)
  private func explained(_ error: LoadError, _ request: LoadRequest) -> LoadError {
    guard error.kind == .secureConnectionFailed, error.phase == .secure, let host = request.target?.origin.host,
      let note = policy.handshakeNote(for: host)
    else { return error }
    var explained = error
    explained.message += "; \(note)"
    return explained
  }
}
