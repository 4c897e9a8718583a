import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// Cookies of a load whose session has a subclass of `HTTPCookieStorage`: it is called through its public members, off the event loop.
extension TaskLoad: CookieStoring {
  nonisolated(nonsending) func appCookieField(for request: LoadRequest) async throws(LoadError) -> String? {
    guard let storage = session.settings.httpCookieStorage else { return nil }
    let task = task
    return try await AppWait<String?>.ask(context) { wait in
      Task {
        let cookies = await CookieContext.$current.withValue(CookieContext(task)) { await storage.cookies(for: task) } ?? []
        wait.answer(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"])
      }
    }
  }

  nonisolated(nonsending) func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError) {
    guard let storage = session.settings.httpCookieStorage, let url = request.url else { return }
    let cookies = Array(HTTPCookie.cookies(setCookieFields: fields, for: url, now: Date()).prefix(CookieJar.maximumPerResponse))
    guard !cookies.isEmpty else { return }
    let task = task
    try await AppWait<Void>.ask(context) { wait in
      Task {
        CookieContext.$current.withValue(CookieContext(task)) { storage.storeCookies(cookies, for: task) }
        wait.answer(())
      }
    }
  }
}
