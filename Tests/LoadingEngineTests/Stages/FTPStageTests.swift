import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct FTPStageTests {
  private let bench = StageBench()

  private func begin(
    _ request: LoadRequest, _ client: RecordingClient = RecordingClient(), prepare: @escaping @Sendable (Load) -> Void = { _ in }
  ) -> BenchLoad {
    bench.begin(request, through: [FTPStage(session: bench.session)], client, prepare: prepare)
  }

  /// The server's part: each line that is expected, and its answer.
  private func talk(_ peer: MemoryPeer, _ lines: (said: String, answer: String)...) async throws {
    for line in lines {
      let said = try await peer.receive(upTo: "\r\n")
      try #require(said == line.said + "\r\n")
      peer.send(line.answer + "\r\n")
    }
  }

  /// A session of an anonymous user's, up to and with the login.
  private func greet(_ number: Int = 0) async throws -> MemoryPeer {
    let control = try await bench.network.peer(number)
    #expect(control.port == 21)
    control.send("220 ready\r\n")
    try await talk(control, ("USER anonymous", "331 password?"), ("PASS anonymous@", "230 welcome"))
    return control
  }

  @Test func fileIsFetched() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/folder/a.txt"))
    let control = try await greet()
    try await talk(
      control, ("CWD folder", "250 there"), ("TYPE I", "200 binary"), ("SIZE a.txt", "213 5"), ("MDTM a.txt", "500 what?"),
      ("EPSV", "229 here (|||5000|)"), ("RETR a.txt", "150 it comes"))
    let data = try await bench.network.peer(1)
    #expect(data.port == 5000)
    data.send("hello")
    data.close()
    control.send("226 that was all\r\n")
    let outcome = await load.outcome
    #expect(outcome.body == "hello")
    #expect(outcome.response?.expectedLength == 5)
    #expect(outcome.records.last?.networkProtocolName == "ftp")
    #expect(try await control.receive(upTo: "\r\n") == "QUIT\r\n")
    try await control.closed()
  }

  @Test func folderIsListed() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/"))
    let control = try await greet()
    try await talk(control, ("TYPE A", "200 text"), ("EPSV", "229 here (|||5000|)"), ("LIST", "150 it comes"))
    let data = try await bench.network.peer(1)
    data.send("-rw-r--r-- a.txt\r\n")
    data.close()
    control.send("226 that was all\r\n")
    #expect(await load.outcome.body == "-rw-r--r-- a.txt\r\n")
  }

  @Test func fileIsStored() async throws {
    let client = RecordingClient()
    let load = begin(LoadRequest("ftp://192.0.2.1/a.txt", method: "PUT", body: .data(Data("hello".utf8))), client)
    let control = try await greet()
    try await talk(control, ("TYPE I", "200 binary"), ("EPSV", "229 here (|||5000|)"), ("STOR a.txt", "150 go on"))
    let data = try await bench.network.peer(1)
    #expect(try await data.receive(upTo: "hello") == "hello")
    // Its end is the file's.
    try await data.ended()
    control.send("226 stored\r\n")
    #expect(await load.outcome.error == nil)
    #expect(client.events == [.sent(5, of: 5)])
    try await data.closed()
  }

  /// Over a slow link the system holds minutes of a file that was sent. The connection for data is open meanwhile, so that it can be asked.
  @Test func whatTheServerStillAcknowledgesIsActivity() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/a.txt", method: "PUT", body: .data(Data("hello".utf8))))
    let control = try await greet()
    try await talk(control, ("TYPE I", "200 binary"), ("EPSV", "229 here (|||5000|)"), ("STOR a.txt", "150 go on"))
    let data = try await bench.network.peer(1)
    try await data.ended()
    #expect(!data.isClosed)
    /// The time left after a look at what is under way.
    func look(_ unacknowledged: Int) async throws -> Double {
      try await data.leaveUnacknowledged(unacknowledged)
      return try await bench.onLoop { [bench] in
        load.context.lookAtSending()
        return load.context.deadline.seconds(since: bench.clock.now)
      }
    }
    _ = try await look(5)
    bench.clock.advance(by: 20)
    #expect(try await look(3) == 60)
    bench.clock.advance(by: 20)
    #expect(try await look(3) == 40)
    bench.clock.advance(by: 20)
    #expect(try await look(1) == 60)
    control.send("226 stored\r\n")
    #expect(await load.outcome.error == nil)
    try await data.closed()
  }

  /// Otherwise they would succeed by retrieving the file.
  @Test(arguments: ["DELETE", "MKCOL"]) func methodsThatFTPURLsDoNotHaveAreRefused(_ method: String) async {
    #expect(await begin(LoadRequest("ftp://192.0.2.1/a.txt", method: method)).outcome.error?.kind == .unsupportedURL)
    #expect(bench.network.attempts == 0)
  }

  @Test func refusalsBecomeErrors() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/a.txt"))
    let control = try await greet()
    try await talk(
      control, ("TYPE I", "200 binary"), ("SIZE a.txt", "550 no"), ("MDTM a.txt", "550 no"), ("EPSV", "229 here (|||5000|)"),
      ("RETR a.txt", "550 no such file"))
    let error = await load.outcome.error
    #expect(error?.kind == .fileDoesNotExist)
    #expect(error?.message.contains("550") == true)
    try await control.closed()
  }

  @Test func fileThatBreaksOffIsAnError() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/a.txt"))
    let control = try await greet()
    try await talk(
      control, ("TYPE I", "200 binary"), ("SIZE a.txt", "213 5"), ("MDTM a.txt", "500 what?"), ("EPSV", "229 here (|||5000|)"),
      ("RETR a.txt", "150 it comes"))
    let data = try await bench.network.peer(1)
    data.send("he")
    data.close()
    control.send("426 broken off\r\n")
    let outcome = await load.outcome
    #expect(outcome.body == "he")
    #expect(outcome.error?.kind == .networkConnectionLost)
    try await control.closed()
  }

  @Test func loginOfTheURLIsUsed() async throws {
    let load = begin(LoadRequest("ftp://user:pw@192.0.2.1/"))
    let control = try await bench.network.peer()
    control.send("220 ready\r\n")
    try await talk(control, ("USER user", "331 password?"), ("PASS pw", "230 welcome"))
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
  }

  /// Each attempt has a connection of its own.
  @Test func refusedLoginIsAskedForAndRemembered() async throws {
    let client = RecordingClient { $0.challenge = { _ in .use(.login("user", "pw")) } }
    let load = begin(LoadRequest("ftp://192.0.2.1/"), client)
    let control = try await bench.network.peer()
    control.send("220 ready\r\n")
    try await talk(control, ("USER anonymous", "530 no guests"))
    let second = try await bench.network.peer(1)
    second.send("220 ready\r\n")
    try await talk(second, ("USER user", "331 password?"), ("PASS pw", "230 welcome"), ("TYPE A", "421 closing"))
    #expect(await load.outcome.error != nil)
    #expect(client.events == [.challenge(.login, failures: 0), .stored(user: "user")])
    let later = begin(LoadRequest("ftp://192.0.2.1/"), client)
    let third = try await bench.network.peer(2)
    third.send("220 ready\r\n")
    try await talk(third, ("USER user", "331 password?"))
    later.cancel()
    #expect(await later.outcome.error?.kind == .cancelled)
  }

  @Test func refusedLoginThatNothingAnswersFails() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/"))
    let control = try await bench.network.peer()
    control.send("220 ready\r\n")
    try await talk(control, ("USER anonymous", "530 no guests"))
    #expect(await load.outcome.error?.kind == .userAuthenticationRequired)
    try await control.closed()
  }

  @Test func urlsThatCannotBeAskedForFailBeforeAnythingIsOpened() async {
    #expect(await begin(LoadRequest("ftp://192.0.2.1/a%0D%0AQUIT")).outcome.error?.kind == .badURL)
    let forwarded = begin(LoadRequest("ftp://192.0.2.1/")) {
      $0.context.terms.routeAttempt = RouteAttempt(.forward(Proxy(.http, host: "192.0.2.7", port: 1)))
    }
    #expect(await forwarded.outcome.error?.kind == .unsupportedURL)
    #expect(bench.network.attempts == 0)
  }

  @Test func loadThatIsCancelledWhileItConnectsEnds() async throws {
    bench.network.answer(.silent)
    let load = begin(LoadRequest("ftp://192.0.2.1/"))
    let peer = try await bench.network.peer()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    try await peer.closed()
  }

  @Test func loadThatIsCancelledWhileTheServerThinksEnds() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/a.txt"))
    let control = try await greet()
    _ = try await control.receive(upTo: "TYPE I\r\n")
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    try await control.closed()
  }

  @Test func loadThatIsCancelledInATransferClosesBothConnections() async throws {
    let load = begin(LoadRequest("ftp://192.0.2.1/"))
    let control = try await greet()
    try await talk(control, ("TYPE A", "200 text"), ("EPSV", "229 here (|||5000|)"), ("LIST", "150 it comes"))
    let data = try await bench.network.peer(1)
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    try await data.closed()
    try await control.closed()
  }
}
