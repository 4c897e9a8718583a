import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

/// What a load's request to its relay has of the load's own request.
struct ObliviousRelayTests {
  private func access(of request: LoadRequest, session: NetworkAccess) throws -> NetworkAccess {
    let keys = try #require(ObliviousKey.make())
    let relay = try ObliviousRelay(
      host: "relay.example", port: 443, path: "/", fields: HeaderFields(), gatewayKeys: keys.configuration, assumesHTTP3: false)
    return NetworkAccessRules.access(of: relay.request(carrying: Data(), for: request), session: session)
  }

  /// A request's own setting counts in both directions.
  @Test(arguments: [true, false], [NetworkAccess.all, []])
  func networksAreThoseOfTheLoad(_ isAllowed: Bool, _ session: NetworkAccess) throws {
    var request = LoadRequest(url: URL(string: "https://a.example/"))
    #expect(try access(of: request, session: session) == session)
    request.mutate { $0.allowsExpensiveNetworkAccess = isAllowed }
    #expect(try access(of: request, session: session) == NetworkAccessRules.access(of: request, session: session))
    request.mutate { $0.allowsConstrainedNetworkAccess = isAllowed }
    #expect(try access(of: request, session: session) == NetworkAccessRules.access(of: request, session: session))
    request.mutate { $0.allowsCellularAccess = false }
    #expect(try access(of: request, session: session) == NetworkAccessRules.access(of: request, session: session))
  }
}
