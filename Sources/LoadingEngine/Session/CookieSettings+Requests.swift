import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

extension CookieSettings {
  /// The value of the `Cookie` field for a request; nil if there are no cookies. Waits if the store must first be read from disk, or if the app
  /// is asked.
  func field(
    for request: LoadRequest, _ load: Load
  ) async throws(LoadError) -> String? {
    guard case .store(let store) = storage else { return try await load.client.cookieStorage?.appCookieField(for: request) }
    guard let wanted = CookieRequest(request, load) else { return nil }
    for _ in 0..<2 {
      if case .field(let field) = store.field(for: wanted) { return field }
      try await AppWait<Void>.room(onDisk: load.context) { wait in store.refresh { wait.answer(()) } }
    }
    // Another process keeps writing to the store: the cookies read a moment ago are used.
    return store.field(for: wanted, outdated: .tolerated)
  }
}

extension LoadRequest {
  /// The request with stored cookies in place of its own `Cookie` field, as Apple does; without stored cookies the app's field stays.
  func attaching(_ field: String, _ load: Load) -> LoadRequest {
    var request = self
    if !load.cookies.isAttached {
      load.cookies.appField = headers.first("Cookie")
      load.cookies.isAttached = true
    }
    request.mutateHeaders { $0.set("Cookie", field) }
    return request
  }
}

extension CookieRequest {
  init?(_ request: LoadRequest, _ load: Load) {
    guard let target = request.target else { return nil }
    self.init(request, target, load)
  }

  init(_ request: LoadRequest, _ target: Target, _ load: Load) {
    self.init(
      url: CookieURL(target), method: request.method, mainDocument: request.mainDocumentURL,
      isNavigation: load.redirectCount > 0 && request.mainDocumentURL != nil && load.context.beganAtMainDocument,
      partition: request.cookiePartitionIdentifier, attached: request.attachedCookies)
  }
}

extension LoadContext {
  /// Whether the load began with the request for its own main document.
  fileprivate var beganAtMainDocument: Bool {
    guard let first = allRecords.first?.request, let document = first.mainDocumentURL else { return false }
    return first.url == document
  }
}
