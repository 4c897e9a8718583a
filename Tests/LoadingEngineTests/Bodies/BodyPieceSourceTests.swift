import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import Testing

@testable import LoadingEngine
@testable import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct BodyPieceSourceTests {
  /// A body whose reading takes until a gate opens.
  private final class HeldReader: BodyReader, Sendable {
    let gate = Gate()
    let log = Watched<[String]>([])

    func next() async throws(LoadError) -> ByteBuffer? {
      await gate.pass()
      log.update { $0.append("read") }
      return nil
    }

    func abandon() { log.update { $0.append("abandoned") } }
  }

  private let bench = StageBench()

  @Test func bodyIsGivenUpOnceItsReadingHasEnded() async throws {
    let reader = HeldReader()
    let source = BodyPieceSource(RequestBody(length: nil, source: reader))
    let context = bench.session.makeContext(LoadRequest("ftp://a.test/x"))
    let reading = Task(executorPreference: bench.session.executor) { () -> LoadError.Kind? in
      do throws(LoadError) {
        _ = try await source.next(context)
        return nil
      } catch {
        return error.kind
      }
    }
    try await reader.gate.reached()
    try await bench.onLoop { context.interrupt(.cancelled()) }
    // The load ends although the stream blocks.
    #expect(await reading.value == .cancelled)
    try await bench.onLoop { source.abandon() }
    #expect(reader.log.read { $0 }.isEmpty)
    reader.gate.open()
    try await reader.log.wait { $0 == ["read", "abandoned"] }
  }
}
