import Foundation
import URLLoadingSystem

/// The app's code around each load, which leaves its outcome as it is.
struct Interceptor: URLSessionInterceptor {
  private let around: Around
  private let turns: Int

  /// nil where the app has none.
  init?(_ chosen: Case) {
    guard chosen.around != .none else { return nil }
    (around, turns) = (chosen.around, chosen.turns.number)
  }

  func intercept(_ request: URLRequest, _ next: URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse {
    switch around {
    case .none, .passes: return try await next(request)
    case .stamps:
      var request = request
      request.setValue("1", forHTTPHeaderField: "X-Stamp")
      return try await next(request)
    case .late:
      for _ in 0..<turns { await Task.yield() }
      let response = try await next(request)
      for _ in 0..<turns { await Task.yield() }
      return response
    }
  }
}
