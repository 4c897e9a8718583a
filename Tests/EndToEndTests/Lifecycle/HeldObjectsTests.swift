import Foundation
import LoadingModel
import Testing
import URLLoadingTestKit

@testable import URLLoadingSystem

/// What loading holds and the app has forgotten.
@Suite(.timeLimit(.minutes(10))) struct HeldObjectsTests {
  /// The leak that most newcomers make.
  private final class Client: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // @unchecked: the property is set before others see the object.
    private(set) lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
  }

  private final class Observer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    weak var watched: URLSession?
    // What can't be copied is passed over.
    let lock = LoadingModel.Mutex(0)
  }

  private struct Connection: Sendable {
    enum Place: Sendable {
      case none
      case open([URLSession])
    }
    var place = Place.none
  }

  private final class Nested: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    var connections: [String: Connection] = [:]
  }

  private final class Asked: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let answers = LoadingModel.Mutex<[@Sendable (URLSession.ResponseDisposition) -> Void]>([])
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      answers.withLock { $0.append(completionHandler) }
      asking.finish()
    }
  }

  private let url = URL(filePath: "/nothing")

  private func held(_ body: (HeldScope) async throws -> Void) async throws {
    let scope = HeldScope()
    try await scope.record { try await body(scope) }
  }

  @Test func sessionThatOnlyItsDelegateHoldsIsLeaked() async throws {
    try await held { scope in
      weak var session: URLSession?
      session = Client().session
      let found = scope.heldObjects
      #expect(found.count == 1)
      let object = try #require(found.first)
      #expect(object.kind == .session && object.isLeaked)
      #expect(object.name.hasSuffix("Client") && object.holders.count == 1)
      #expect(object.holders.first?.hasPrefix("URLSession → delegate: ") == true && object.holders.first?.hasSuffix(" → session") == true)
      #expect(object.remedy.contains("finishTasksAndInvalidate()") && !object.place.isEmpty)
      session?.invalidateAndCancel()
      while session != nil { await Task.yield() }
      #expect(scope.heldObjects.isEmpty)
    }
  }

  @Test func sessionThatTheAppHoldsIsntLeaked() async throws {
    try await held { scope in
      let client = Client()
      let session = client.session
      let object = try #require(scope.heldObjects.first)
      #expect(object.kind == .session && !object.isLeaked)
      #expect(object.holders.contains { $0.contains("other reference") })
      session.invalidateAndCancel()
    }
  }

  @Test func weakReferencesHoldNothing() async throws {
    try await held { scope in
      let observer = Observer()
      let session = URLSession(configuration: .ephemeral, delegate: observer, delegateQueue: nil)
      observer.watched = session
      let object = try #require(scope.heldObjects.first)
      #expect(!object.isLeaked && object.holders.allSatisfy { !$0.contains("watched") })
      session.invalidateAndCancel()
    }
  }

  @Test func referencesAreFoundInValues() async throws {
    try await held { scope in
      weak var session: URLSession?
      do {
        let nested = Nested()
        let made = URLSession(configuration: .ephemeral, delegate: nested, delegateQueue: nil)
        nested.connections["a"] = Connection(place: .open([made]))
        session = made
      }
      let object = try #require(scope.heldObjects.first)
      #expect(object.isLeaked && object.holders.first?.contains("connections") == true, "\(object)")
      session?.invalidateAndCancel()
    }
  }

  @Test func invalidatedSessionsAndThoseWithoutDelegateArentListed() async throws {
    try await held { scope in
      let plain = URLSession(configuration: .ephemeral)
      let ended = URLSession(configuration: .ephemeral, delegate: Observer(), delegateQueue: nil)
      ended.finishTasksAndInvalidate()
      await ended.waitUntilInvalid()
      #expect(scope.heldObjects.isEmpty)
      withExtendedLifetime((plain, ended)) {}
    }
  }

  @Test func taskThatWasNeverResumedIsLeaked() async throws {
    try await held { scope in
      weak var session: URLSession?
      do {
        let made = URLSession(configuration: .ephemeral)
        _ = made.dataTask(with: url) { _, _, _ in }
        session = made
      }
      let object = try #require(scope.heldObjects.first)
      #expect(object.kind == .task && object.isLeaked && object.name == "URLSessionDataTask 1, never resumed")
      #expect(object.holders.contains("URLSession → tasks: URLSessionDataTask 1 → session"))
      #expect(object.holders.contains { $0.contains("completion handler") } && !object.place.isEmpty)
      session?.invalidateAndCancel()
    }
  }

  @Test func taskThatTheAppHoldsMayBeResumed() async throws {
    try await held { scope in
      let session = URLSession(configuration: .ephemeral)
      let task = session.dataTask(with: url)
      let object = try #require(scope.heldObjects.first)
      #expect(object.kind == .task && !object.isLeaked)
      task.cancel()
      session.invalidateAndCancel()
    }
  }

  @Test func answersThatAreOwedAreListed() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("body"))
      let delegate = Asked()
      try await held { scope in
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: server.url()).resume()
        for await _ in delegate.asked {}
        let object = try #require(scope.heldObjects.first)
        #expect(object.kind == .answer && object.name.contains("didReceiveResponse") && object.remedy.contains("completion handler"))
        delegate.answers.withLock { $0 }.first?(.allow)
        #expect(scope.heldObjects.allSatisfy { $0.kind != .answer })
        session.invalidateAndCancel()
      }
    }
  }

  @Test func bodiesThatNothingReadsAreListed() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text(String(repeating: "x", count: 1 << 20)))
      try await held { scope in
        let session = URLSession(configuration: configuration)
        let (bytes, _) = try await session.bytes(from: server.url())
        var found: [URLSession.HeldObject] = []
        while found.isEmpty {
          await Task.yield()
          found = scope.heldObjects
        }
        #expect(found.first?.kind == .body && found.first?.name.contains("unread") == true)
        withExtendedLifetime(bytes) {}
        session.invalidateAndCancel()
      }
    }
  }

  @Test func observationsOfWhatHasEndedAreListed() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("body"))
      try await held { scope in
        let session = URLSession(configuration: configuration)
        let task = session.dataTask(with: server.url())
        let observation = task.observe(\.state) { _, _ in }
        task.resume()
        while task.state != .completed { await Task.yield() }
        #expect(scope.heldObjects.map(\.kind) == [.observation])
        observation.invalidate()
        #expect(scope.heldObjects.isEmpty)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func sessionAtWorkIsntListed() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let gate = Gate()
      server.route("/", reply: .text("body").with(.delayBeforeHeaders(gate)))
      try await held { scope in
        let session = URLSession(configuration: configuration, delegate: Observer(), delegateQueue: nil)
        session.dataTask(with: server.url()).resume()
        _ = try await server.waitForRequest()
        #expect(scope.heldObjects.isEmpty)
        gate.open()
        session.invalidateAndCancel()
      }
    }
  }

  @Test func busyDelegateQueueIsLeftAlone() async throws {
    try await held { scope in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let release = DispatchSemaphore(value: 0)
      let session = URLSession(configuration: .ephemeral, delegate: Nested(), delegateQueue: queue)
      queue.addOperation { release.wait() }
      let object = try #require(scope.heldObjects.first)
      #expect(!object.isLeaked && object.holders.contains { $0.contains("busy") })
      release.signal()
      session.invalidateAndCancel()
    }
  }

  @Test func objectsAreCodableAndDescribed() throws {
    let object = URLSession.HeldObject(
      kind: .task, name: "URLSessionDataTask 1, never resumed", age: 2.5, isLeaked: true, holders: ["a → b"], remedy: "Do this.",
      place: ["one (p+0x1)", "two (p+0x2)"])
    #expect(try JSONDecoder().decode(URLSession.HeldObject.self, from: JSONEncoder().encode(object)) == object)
    #expect(
      object.description
        == "URLSessionDataTask 1, never resumed, 2.5 s old\n   a → b\n   Do this.\n   made by one (p+0x1)\n           two (p+0x2)")
    #expect(
      HeldReport.text([object], process: 7, name: "shop").hasPrefix("shop (process 7): 1 object is leaked by loading\n\n1. leaked: "))
  }

  @Test(arguments: [(nil, nil), ("0", nil), ("", nil), ("1", "-"), ("stderr", "-"), ("/tmp/file", "/tmp/file")] as [(String?, String?)])
  func variableNamesTheReport(_ value: String?, _ expected: String?) {
    #expect(HeldRecording.destination(value) == expected)
  }
}
