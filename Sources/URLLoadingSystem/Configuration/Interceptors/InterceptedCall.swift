import Foundation
import LoadingEngine
import LoadingModel

/// Passes one load through the app's interceptors, and converts between their public types and the engine's. Thread-safe.
final class InterceptedCall: Sendable {
  typealias Head = InterceptedHead

  /// The last error of the loader that interceptors have been given, so that it is recognised when they rethrow it.
  private struct Told: Sendable {
    let error: LoadError
    let identity: ObjectIdentifier?
    /// Keeps the object alive whose identity is compared.
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

  /// The error with which the load fails. If interceptors rethrow the loader's error, its original `LoadError` is used, with all its facts.
  private func loadError(_ error: any Error) -> LoadError {
    if let told = told.withLock({ $0 }), let identity = told.identity, identity == InterceptedCall.identity(error) { return told.error }
    var result = LoadError(foreign: error)
    if let kind = (error as? URLError).flatMap({ LoadError.Kind(rawValue: $0.code.rawValue) }) { result.kind = kind }
    return result
  }

  /// The identity of the underlying error's object, which the loader makes anew for each of its errors; nil for errors of others.
  private static func identity(_ error: any Error) -> ObjectIdentifier? {
    ((error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError).map(ObjectIdentifier.init)
  }
}

extension LoadRequest {
  /// The request as interceptors see it: a body that is a file or a form is shown as a stream that can be read.
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
