import Foundation

/// Signs requests by a function of the app's. An addition to Apple's API.
///
///     configuration.interceptors = [
///       URLSessionSigningInterceptor { request in
///         let code = try await signature(of: request)
///         request.setValue(code, forHTTPHeaderField: "Authorization")
///       }
///     ]
///
/// A request is signed each time an interceptor before this one sends it. Requests that the loader repeats by itself, after a broken connection, by a
/// `retryPolicy` or for a redirect, keep their signature; a redirect to another origin drops `Authorization`, `Cookie` and `Proxy-Authorization`, and
/// keeps all other fields.
public struct URLSessionSigningInterceptor: URLSessionInterceptor {
  private let sign: @Sendable (inout URLRequest) async throws -> Void

  /// Makes an interceptor that signs with `sign`.
  /// - Parameter sign: Adds the signature to the request; an error that it throws ends the task. It sees method, URL, header fields and body as
  ///   `URLSessionInterceptor.intercept(_:_:)` does.
  public init(_ sign: @escaping @Sendable (_ request: inout URLRequest) async throws -> Void) { self.sign = sign }

  /// Signs the request and sends it.
  public func intercept(
    _ request: URLRequest, _ next: URLSessionInterceptorChain
  ) async throws -> URLSessionInterceptedResponse {
    var signed = request
    try await sign(&signed)
    return try await next(signed)
  }
}
