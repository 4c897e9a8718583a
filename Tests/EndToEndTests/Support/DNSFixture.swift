import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A server of the DNS over HTTPS at dns.test, one that it knows at site.test, and a configuration that asks the first for the second.
struct DNSFixture {
  /// What is answered to a question: a message, or anything else.
  enum Answer {
    /// Resource records, each with its owner; flags beside QR, RD and RA.
    case records([[UInt8]], flags: Int = 0)
    case reply(Reply)
    /// Resource records that are sent once the gate is open.
    case held([[UInt8]], Gate)
  }

  /// What is different in the site's options.
  struct Adjustment {
    let change: (inout TestServer.Options) -> Void
  }

  static let name = "site.test"
  static let v4 = 1
  static let v6 = 28
  static let https = 65
  static let mediaType = "application/dns-message"

  let dns: TestServer
  let site: TestServer
  let clock: ManualClock
  let configuration: URLSessionConfiguration
  let server: URL
  var url: URL { site.url("/", host: DNSFixture.name) }

  /// - Parameters:
  ///   - wire: What the site is served over.
  ///   - hosts: Further names that the site's certificate is good for.
  ///   - adjust: Changes the site's options.
  ///   - answer: Given a name and a type.
  static func with(
    _ wire: Wire = .tls, hosts: [String] = [], adjust: Adjustment? = nil,
    _ answer: @escaping @Sendable (String, Int) -> Answer, _ body: (DNSFixture) async throws -> Void
  ) async throws {
    let authority = try TestCertificateAuthority()
    let dns = try await TestServer.start(Wire.h2.options(authority.issue(hosts: ["dns.test"])))
    var options = try wire.options(authority.issue(hosts: [name, "other.test"] + hosts))
    adjust?.change(&options)
    let site = try await TestServer.start(options)
    dns.route("/dns-query") { reply(to: $0, answer) }
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.testing(trusting: authority, clock: clock)
    wire.use(in: configuration)
    let fixture = DNSFixture(
      dns: dns, site: site, clock: clock, configuration: configuration, server: dns.url("/dns-query", host: "dns.test"))
    configuration.nameResolution = .https(fixture.server, bootstrap: ["127.0.0.1"])
    do {
      try await body(fixture)
    } catch {
      await dns.shutdown()
      await site.shutdown()
      throw error
    }
    await dns.shutdown()
    await site.shutdown()
  }

  /// The types that have been asked for.
  var asked: [Int] { dns.requests.compactMap { DNSFixture.question($0)?.type } }

  private static func question(_ request: RecordedRequest) -> (name: String, type: Int, bytes: [UInt8])? {
    let bytes = [UInt8](request.body)
    var labels: [String] = []
    var place = 12
    while place < bytes.count, bytes[place] > 0 {
      let end = place + 1 + Int(bytes[place])
      guard end < bytes.count else { return nil }
      labels.append(String(decoding: bytes[place + 1..<end], as: UTF8.self))
      place = end
    }
    guard place + 4 < bytes.count else { return nil }
    return (labels.joined(separator: "."), Int(bytes[place + 1]) << 8 | Int(bytes[place + 2]), Array(bytes[12...place + 4]))
  }

  private static func reply(to request: RecordedRequest, _ answer: (String, Int) -> Answer) -> Reply {
    guard let question = question(request), request.method == "POST", request.headers["content-type"] == mediaType else {
      return Reply(400)
    }
    switch answer(question.name, question.type) {
    case .reply(let reply): return reply
    case .records(let records, let flags): return response(records, to: question.bytes, flags: flags)
    case .held(let records, let gate): return response(records, to: question.bytes).with(.delayBeforeHeaders(gate))
    }
  }

  private static func response(_ records: [[UInt8]], to question: [UInt8], flags: Int = 0) -> Reply {
    let head = [0, 0x8180 | flags, 1, records.count, 0, 0].flatMap(number)
    return response(head + question + records.flatMap(\.self))
  }

  static func response(_ bytes: [UInt8]) -> Reply { Reply(headers: ["Content-Type": mediaType], body: .bytes(Data(bytes))) }

  private static func number(_ number: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] }

  private static func encoded(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  /// A resource record of the name that was asked about, or of another.
  static func record(_ type: Int, _ data: [UInt8], owner: String? = nil, lifetime: Int = 60) -> [UInt8] {
    let name = owner.map(encoded) ?? [0xC0, 0x0C]
    return name + [type, 1, 0, lifetime, data.count].flatMap(number) + data
  }

  static func loopback(owner: String? = nil, lifetime: Int = 60) -> [UInt8] {
    record(v4, [127, 0, 0, 1], owner: owner, lifetime: lifetime)
  }

  static func alias(_ target: String, owner: String? = nil) -> [UInt8] { record(5, encoded(target), owner: owner) }

  /// An HTTPS record; priority 0 is an alias.
  ///
  /// - Parameters:
  ///   - target: "" is the record's own name.
  ///   - takesDefaultBack: Whether HTTP/1.1 isn't spoken there unless `protocols` says so.
  ///   - mandatory: Keys that a client has to understand.
  ///   - others: Further parameters, by keys above those that have a name here.
  static func service(
    _ priority: Int = 1, _ target: String = "", port: Int? = nil, protocols: [String] = [], takesDefaultBack: Bool = false,
    hints: [[UInt8]] = [], mandatory: [Int] = [], others: [Int: [UInt8]] = [:]
  ) -> [UInt8] {
    var parameters = others
    if !mandatory.isEmpty { parameters[0] = mandatory.flatMap(number) }
    if !protocols.isEmpty { parameters[1] = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } }
    if takesDefaultBack { parameters[2] = [] }
    if let port { parameters[3] = number(port) }
    if !hints.isEmpty { parameters[4] = hints.flatMap(\.self) }
    let sorted = parameters.sorted { $0.key < $1.key }
    return record(https, number(priority) + encoded(target) + sorted.flatMap { number($0.key) + number($0.value.count) + $0.value })
  }
}
