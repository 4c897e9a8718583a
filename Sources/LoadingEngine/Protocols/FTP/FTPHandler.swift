import FTPTransport
import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel

/// `ftp:` and `ftps:` URLs: files are fetched and stored, folders listed (RFC 959, RFC 1738 3.2.2).
struct FTPHandler: ProtocolHandler {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
    guard let url = request.url, let target = request.target else {
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    }
    try session.refuseUnvalidated(target.origin.host, request)
    let resource = try FTPResource(path: target.pathAndQuery)
    var login = FTPLogin(session: session, request: request, target: target, context: context, client: client)
    while true {
      let connection = try await login.connection()
      let outcome: FTPTransfer.Outcome
      do throws(LoadError) {
        outcome = try await FTPTransfer(connection, resource, url, request, context, client).begin()
      } catch {
        connection.end()
        throw error
      }
      switch outcome {
      case .loaded(let loaded): return loaded
      case .needsTLS(let reply):
        connection.quit()
        guard login.secureNext() else { throw FTPRefusal.error(reply, at: .security) }
        context.beginTransaction(request)
      }
    }
  }
}
