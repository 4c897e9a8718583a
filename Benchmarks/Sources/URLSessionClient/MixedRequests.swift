import Foundation
import Measuring
import Synchronization

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// What an app asks for: documents of fifty hosts. Half of the replies aren't to be stored and set a cookie; of ten, two are fresh in the
/// cache, two are to be revalidated, and one is a redirect to the first kind.
final class MixedRequests: Sendable {
  private static let hosts = 50
  private static let paths = [
    "unstored", "fresh", "unstored", "revalidated", "unstored", "moved", "fresh", "unstored", "revalidated", "unstored",
  ]

  private let requests: [URLRequest]
  private let next = Atomic(0)

  /// - Parameters:
  ///   - first: A request of 127.0.0.2; the other hosts have the addresses that follow.
  init(like first: URLRequest) throws {
    requests = try (0..<Self.hosts * Self.paths.count).map { index in
      let host = "127.0.0.\(2 + index % Self.hosts)"
      // Each host is asked for each kind.
      let path = Self.paths[(index + index / Self.hosts) % Self.paths.count]
      guard let port = first.url?.port, let url = URL(string: "http://\(host):\(port)/\(path)") else {
        throw BenchmarkFailure("a URL with a port is needed")
      }
      var request = first
      request.url = url
      return request
    }
  }

  func take() -> URLRequest {
    requests[next.wrappingAdd(1, ordering: .relaxed).oldValue % requests.count]
  }
}
