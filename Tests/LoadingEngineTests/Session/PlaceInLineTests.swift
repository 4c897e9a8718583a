import LoadingModel
import Testing
import URLLoadingTestKit

@testable import HTTPTransport
@testable import LoadingEngine

struct PlaceInLineTests {
  /// A load that is served at once may be refused and come back: it set out before those that wait.
  @Test func loadHasItsPlaceFromItsFirstLookOn() async throws {
    let bench = StageBench()
    let request = LoadRequest("http://h/")
    let contexts = [bench.session.makeContext(request), bench.session.makeContext(request)]
    let origin = try #require(request.target?.origin)
    let turns = try await bench.onLoop {
      contexts.map { context in
        for _ in 0..<2 { #expect((try? bench.session.pool.leaseAtOnce(origin, context)) == nil) }
        return context.terms.turn
      }
    }
    #expect(turns[0] > 0 && turns[0] < turns[1])
  }
}
