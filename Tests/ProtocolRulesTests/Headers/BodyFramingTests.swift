import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct BodyFramingTests {
  @Test(arguments: [
    ("GET", BodyFraming.none), ("HEAD", .none), ("DELETE", .none), ("OPTIONS", .none), ("POST", .length(0)), ("PUT", .length(0)),
    ("PATCH", .length(0)),
  ])
  func nothingIsFramedByTheMethod(method: String, expected: BodyFraming) throws {
    #expect(try BodyFraming.decide(method: method, body: .none) == expected)
    #expect(try BodyFraming.decide(method: method, body: .data(Data()), announcedLength: 9) == expected)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"])
  func dataHasItsOwnLength(method: String) throws {
    #expect(try BodyFraming.decide(method: method, body: .data(Data(count: 5)), announcedLength: 9) == .length(5))
  }

  @Test func streamIsChunkedUnlessItsLengthIsKnown() throws {
    let stream = LoadRequest.Body.stream(InputStream(data: Data()))
    #expect(try BodyFraming.decide(method: "POST", body: stream) == .chunked)
    #expect(try BodyFraming.decide(method: "POST", body: stream, announcedLength: 9) == .length(9))
    #expect(try BodyFraming.decide(method: "POST", body: stream, knownLength: 8, announcedLength: 9) == .length(8))
    #expect(try BodyFraming.decide(method: "POST", body: stream, knownLength: -1) == .chunked)
  }

  @Test func fileIgnoresAnAnnouncedLength() throws {
    let file = LoadRequest.Body.file(URL(filePath: "/f"))
    #expect(try BodyFraming.decide(method: "PUT", body: file, knownLength: 4, announcedLength: 9) == .length(4))
    #expect(try BodyFraming.decide(method: "PUT", body: file, announcedLength: 9) == .chunked)
  }

  @Test(arguments: ["GET", "TRACE"])
  func bodyOnGETIsRefused(method: String) {
    let bodies: [LoadRequest.Body] = [.data(Data(count: 1)), .stream(InputStream(data: Data())), .file(URL(filePath: "/f"))]
    for body in bodies {
      let error = #expect(throws: LoadError.self) { try BodyFraming.decide(method: method, body: body) }
      #expect(error?.kind == .dataLengthExceedsMaximum)
    }
  }
}
