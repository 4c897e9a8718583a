import Foundation
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct DecodingStageTests {
  private let bench = StageBench()
  private let gzip = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data()
  private let gzipOfGzip = Data(base64Encoded: "H4sIAAAAAAACA5Pv5mAAASbm0x5nT54MP+EwgaGh4+dTQaAYAHs5WBEcAAAA") ?? Data()

  private func load(_ coding: String?, _ body: PieceBody, length: Int = 3) async -> BenchLoad.Outcome {
    let fields = coding.map { [("Content-Encoding", $0)] } ?? []
    let script = ScriptedStage(.status(200, fields, body, framing: .length(Int64(length))))
    return await bench.load(LoadRequest("http://a.test/"), through: [DecodingStage(), script])
  }

  @Test(arguments: [nil, "identity", "compress", "gzip, unheard-of"]) func bodiesThatCannotBeDecodedPassAsTheyAre(_ coding: String?) async {
    let outcome = await load(coding, PieceBody("one"))
    #expect(outcome.body == "one")
    #expect(outcome.response?.expectedLength == 3)
    #expect(outcome.field("Content-Encoding") == coding)
  }

  @Test func codingIsTakenOffPieceByPiece() async {
    let pieces = gzip.map { PieceBody.Piece.data(Data([$0])) }
    let outcome = await load("gzip", PieceBody(pieces), length: gzip.count)
    #expect(outcome.body == "hello hello hello")
    // The fields stay as received; the length of the content isn't known.
    #expect(outcome.field("Content-Encoding") == "gzip")
    #expect(outcome.response?.expectedLength == -1)
  }

  @Test func codingsAreTakenOffInTurn() async {
    #expect(await load("gzip, x-gzip", PieceBody([.data(gzipOfGzip)])).body == "hello hello hello")
  }

  @Test func bodyThatIsNotWhatItsCodingSaysFails() async {
    let outcome = await load("gzip", PieceBody("plain text"))
    #expect(outcome.status == 200)
    #expect(outcome.error?.kind == .cannotDecodeRawData)
  }

  @Test func codedBodyThatEndsInTheMiddleFails() async {
    let outcome = await load("gzip", PieceBody([.data(gzip.dropLast(4))]))
    #expect(outcome.error?.kind == .cannotDecodeRawData)
    #expect(outcome.error?.message.contains("ends in the middle") == true)
  }

  @Test func errorsOfTheBodyPass() async {
    let lost = LoadError(.networkConnectionLost, .body, "lost")
    #expect(await load("gzip", PieceBody([.data(gzip.prefix(12)), .fail(lost)])).error?.kind == .networkConnectionLost)
  }

  @Test func loadThatIsCancelledWhileItWaitsForBytesEnds() async throws {
    let gate = Gate()
    let body = PieceBody([.data(gzip.prefix(12)), .held(gate)])
    let script = ScriptedStage(.status(200, [("Content-Encoding", "gzip")], body, framing: .untilClose))
    let load = bench.begin(LoadRequest("http://a.test/"), through: [DecodingStage(), script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
  }
}
