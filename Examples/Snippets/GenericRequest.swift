import Foundation
import URLLoadingSystem

/// What a server sent instead of the value asked for.
public struct UnexpectedStatus: Error, Equatable {
  public let code: Int

  public init(code: Int) { self.code = code }
}

/// Loads a request and decodes its JSON answer: the one function many apps build their networking on.
public func request<T: Decodable>(_ type: T.Type = T.self, _ request: URLRequest, session: URLSession = .shared) async throws -> T {
  let (data, response) = try await session.data(for: request)
  guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  guard 200..<300 ~= http.statusCode else { throw UnexpectedStatus(code: http.statusCode) }
  return try JSONDecoder().decode(T.self, from: data)
}
