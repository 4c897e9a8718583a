#if HTTPTypes
  import Foundation
  import URLLoadingHTTPTypes
  import URLLoadingSystem

  /// The entity tag of a resource, asked for with swift-http-types.
  public func entityTag(of url: URL, session: URLSession = .shared) async throws -> String? {
    let request = HTTPRequest(method: .head, url: url, headerFields: [.accept: "*/*"])
    let (_, response) = try await session.data(for: request)
    return response.status == .ok ? response.headerFields[.eTag] : nil
  }
#endif
