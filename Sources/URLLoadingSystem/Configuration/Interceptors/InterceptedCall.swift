import Foundation
import LoadingEngine
import LoadingModel

/// One load on its way through the app's interceptors: between the public protocol and the engine's terms. Any thread.
final class InterceptedCall: Sendable {
  typealias Head = InterceptedHead

  /// An error of the loader's that interceptors have been given, and what they know it by.
  private struct Told: Sendable {
    let error: LoadError
    let identity: ObjectIdentifier?
    /// Keeps the object whose identity it is.
    let shown: any Error
  }

  private let interceptors: [any URLSessionInterceptor]
  private let interception: Interception
  private let told = Mutex<Told?>(nil)

  private init(_ interceptors: [any URLSessionInterceptor], _ interception: Interception) {
    self.interceptors = interceptors
    self.interception = interception
  }

  /// The engine's form of a list of interceptors; nil if there are none.
  static func interceptor(_ interceptors: [any URLSessionInterceptor]) -> LoadingEngine.Interceptor? {
    guard !interceptors.isEmpty else { return nil }
    return { (request: LoadRequest, interception: Interception) async throws(LoadError) -> InterceptedAnswer in
      try await InterceptedCall(interceptors, interception).answer(to: request)
    }
  }

  private func answer(to request: LoadRequest) async throws(LoadError) -> InterceptedAnswer {
    do {
      let answer = try await respond(to: URLRequest(load: request.shownToInterceptor), from: 0)
      switch answer.source {
      case .loaded(let head): return .received(head)
      case .made(let data):
        let response = answer.response
        let url = response.url ?? request.url ?? URL(filePath: "/")
        return .made(LoadResponse(url: url, kind: .native(response), expectedLength: Int64(data.count)), data)
      }
    } catch {
      throw loadError(error)
    }
  }

  private func respond(to request: URLRequest, from index: Int) async throws -> URLSessionInterceptedResponse {
    guard index < interceptors.count else { return try await send(request) }
    return try await interceptors[index].intercept(
      request, URLSessionInterceptorChain { [self] in try await respond(to: $0, from: index + 1) })
  }

  private func send(_ request: URLRequest) async throws -> URLSessionInterceptedResponse {
    do throws(LoadError) {
      let head = try await interception.send(request.load.hidingShownBody)
      return URLSessionInterceptedResponse(URLResponse.make(head.response), .loaded(head))
    } catch {
      let shown = error.urlError(failingURL: request.url)
      told.withLock { $0 = Told(error: error, identity: InterceptedCall.identity(shown), shown: shown) }
      throw shown
    }
  }

  /// What the load is to fail with: an error of the loader's that is handed on is the one it was, with all its facts.
  private func loadError(_ error: any Error) -> LoadError {
    if let told = told.withLock({ $0 }), let identity = told.identity, identity == InterceptedCall.identity(error) { return told.error }
    var result = LoadError(foreign: error)
    if let kind = (error as? URLError).flatMap({ LoadError.Kind(rawValue: $0.code.rawValue) }) { result.kind = kind }
    return result
  }

  /// The underlying error's object is made for each error of the loader's.
  private static func identity(_ error: any Error) -> ObjectIdentifier? {
    ((error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError).map(ObjectIdentifier.init)
  }
}

extension LoadRequest {
  /// The request as interceptors see it: the body of a file can be read.
  fileprivate var shownToInterceptor: LoadRequest {
    switch body {
    case .file, .parts: shownToProtocol
    case .none, .data, .stream, .suppliedStream, .pieces: self
    }
  }

  fileprivate var hidingShownBody: LoadRequest {
    guard fields.shownBody != nil else { return self }
    var request = self
    request.mutate { $0.shownBody = nil }
    return request
  }
}
