import FTPTransport
import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// The last stage of `ftp:` and `ftps:` loads: retrieves and stores files, and lists folders (RFC 959; RFC 1738, 3.2.2).
struct FTPStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let load = next.load
    if case .forward = context.terms.route {
      throw LoadError(.unsupportedURL, .admission, "a proxy that speaks FTP itself has to stand before those that don't")
    }
    guard let url = request.url, let target = request.target else {
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    }
    guard FTPStage.transfers(request) else {
      throw LoadError(.unsupportedURL, .admission, "the request's method has no meaning for an FTP URL; use GET, HEAD or PUT")
    }
    try session.refuseUnvalidated(target.origin, over: context.terms.route, request)
    guard session.settings.dialing.socketPath == nil else {
      throw LoadError(
        .unsupportedURL, .admission, "FTP isn't spoken over a Unix socket; load the URL by a session without unixSocketPath")
    }
    let resource = try FTPResource(path: target.pathAndQuery)
    var login = FTPLogin(session: session, request: request, target: target, load: load)
    session.watchNetworks()
    while true {
      do throws(LoadError) {
        if let loaded = try await attempt(resource, url, request, load, &login) { return loaded }
      } catch {
        // A download may begin again, because nothing of the file has been passed on yet. An upload may not: the server may have the file
        // already.
        guard error.resendReason == .pathLost, context.failure == nil, case .none = request.body else { throw error }
      }
      context.beginTransaction(request)
    }
  }

  /// Whether the request retrieves, lists or stores something. One that has a body stores it, whatever its method.
  private static func transfers(_ request: LoadRequest) -> Bool {
    guard case .none = request.body else { return true }
    return ["GET", "HEAD", "PUT", "POST"].contains(request.method.uppercased())
  }

  /// Makes one attempt; nil if the server demands TLS: the next attempt uses it.
  private func attempt(
    _ resource: FTPResource, _ url: URL, _ request: LoadRequest, _ load: Load, _ login: inout FTPLogin
  ) async throws(LoadError) -> Loaded? {
    let connection = try await login.connection()
    let outcome: FTPTransfer.Outcome
    do throws(LoadError) {
      outcome = try await FTPTransfer(connection, resource, url, request, load).begin()
    } catch {
      connection.end()
      throw error
    }
    switch outcome {
    case .loaded(let loaded): return loaded
    case .needsTLS(let reply):
      connection.quit()
      guard login.secureNext() else { throw FTPRefusal.error(reply, at: .security) }
      return nil
    }
  }
}
