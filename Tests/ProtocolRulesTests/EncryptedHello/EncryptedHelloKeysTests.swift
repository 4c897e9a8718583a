import LoadingModel
import Testing

@testable import ProtocolRules

/// Lists of configurations (ECHConfigList), after RFC 9849, 4.
@Suite struct EncryptedHelloKeysTests {
  /// A configuration, and what may be wrong with it.
  private struct Configuration {
    var version: UInt16 = 0xFE0D
    var kem: UInt16 = 0x0020
    var key: [UInt8] = Array(repeating: 9, count: 32)
    var suites: [UInt8] = [0, 1, 0, 1]
    var name = "public.test"
    var extensions: [UInt8] = []

    var bytes: [UInt8] {
      let name = Array(name.utf8)
      var content: [UInt8] = [7] + number(kem)
      content += number(key.count) + key
      content += number(suites.count) + suites
      content += [0, UInt8(name.count)] + name
      content += number(extensions.count) + extensions
      return number(version) + number(content.count) + content
    }

    private func number(_ number: some BinaryInteger) -> [UInt8] {
      [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
  }

  private func list(_ configurations: Configuration...) -> [UInt8] {
    let bytes = configurations.flatMap(\.bytes)
    return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  private func configuration(_ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration()
    change(&configuration)
    return configuration
  }

  @Test func usableListIsKeptWhole() {
    let bytes = list(configuration { $0.version = 0xFE0A }, Configuration(), configuration { $0.name = "second.test" })
    let keys = EncryptedHelloKeys(bytes)
    #expect(keys?.bytes == bytes)
    #expect(keys?.publicName == "public.test")
  }

  @Test func listsWithoutAUsableConfigurationAreNone() {
    #expect(EncryptedHelloKeys(list(configuration { $0.version = 0xFE0C })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.kem = 0x0010 })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.suites = [0, 2, 0, 1] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.suites = [0, 1, 0xFF, 0xFF] })) == nil)
    // An extension that must be understood.
    #expect(EncryptedHelloKeys(list(configuration { $0.extensions = [0x80, 1, 0, 0] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.extensions = [0x10, 1, 0, 1, 5] })) != nil)
  }

  @Test(
    arguments: [
      ".", ".test", "test.", "a..b", "-a.test", "a-.test", "a_b.test", "127.0.0.1", "a.0x7f", "a.0x", "1", "ü.test",
      String(repeating: "a", count: 64) + ".test",
    ])
  func namesThatNoHostHasAreLeftAlone(name: String) {
    #expect(EncryptedHelloKeys(list(configuration { $0.name = name })) == nil)
  }

  @Test(arguments: ["a", "a-b.c0", "0x7f.test", "A.Test"]) func namesOfHostsAreTaken(name: String) {
    #expect(EncryptedHelloKeys(list(configuration { $0.name = name }))?.publicName == name)
  }

  @Test func malformedListsAreNone() {
    let whole = list(Configuration())
    for length in 0..<whole.count { #expect(EncryptedHelloKeys(Array(whole.prefix(length))) == nil) }
    #expect(EncryptedHelloKeys(whole + [0]) == nil)
    #expect(EncryptedHelloKeys([0, 0]) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.key = [] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.name = "" })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.suites = [] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.suites = [0, 1, 0] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.extensions = [0] })) == nil)
    #expect(EncryptedHelloKeys(list(configuration { $0.extensions = [0, 1, 0, 9] })) == nil)
    // One that is malformed spoils the others.
    #expect(EncryptedHelloKeys(list(Configuration(), configuration { $0.suites = [0] })) == nil)
  }

  // MARK: records and places

  private func place(_ host: String, _ keys: EncryptedHelloKeys?, port: Int = 443) -> ServicePlace {
    ServicePlace(host: host, port: port, encryptedHello: keys)
  }

  private let origin = Origin(scheme: "https", host: "a.test", port: 443)

  @Test func recordsHaveKeys() throws {
    let list = list(Configuration())
    let parameter: [UInt8] = [0, 5, 0, UInt8(list.count)] + list
    let binding = try #require(ServiceBinding([0, 1, 0] + [0, 0, 0, 2, 0, 5] + parameter))
    #expect(binding.isCompatible && binding.encryptedHello?.publicName == "public.test")
    let owner = try #require(DNSName("a.test"))
    #expect(ServiceBindingRules.places(of: origin, [binding], owner: owner).first?.encryptedHello == binding.encryptedHello)
    #expect(ServiceBindingRules.places(of: origin, [binding], owner: owner, encrypts: false).first?.encryptedHello == nil)
  }

  /// RFC 9848, 5.1.
  @Test func originIsNotTriedWithoutKeysWhereAllItsRecordsHaveSome() throws {
    let keys = try #require(EncryptedHelloKeys(list(Configuration())))
    func hosts(_ places: [ServicePlace], without refused: Set<ServicePlace> = []) -> [String] {
      ServiceBindingRules.attempts(at: origin, places, offering: ["http/1.1"], without: refused).map(\.host)
    }
    #expect(hosts([]) == ["a.test"])
    #expect(hosts([place("b.test", nil), place("c.test", keys)]) == ["b.test", "c.test", "a.test"])
    let all = [place("b.test", keys), place("c.test", keys)]
    #expect(hosts(all) == ["b.test", "c.test"])
    #expect(hosts(all, without: Set(all)) == [])
    #expect(hosts([place("a.test", keys)]) == ["a.test"])
  }

  @Test func keysAreThoseOfThePlaceOrOfItsHost() throws {
    let first = try #require(EncryptedHelloKeys(list(Configuration())))
    let second = try #require(EncryptedHelloKeys(list(configuration { $0.name = "second.test" })))
    let places = [place("b.test", first), place("b.test", second, port: 8443), place("c.test", nil)]
    #expect(ServiceBindingRules.encryptedHello(places, at: "b.test", 8443) == second)
    #expect(ServiceBindingRules.encryptedHello(places, at: "b.test", 1) == first)
    #expect(ServiceBindingRules.encryptedHello(places, at: "c.test", 443) == nil)
    #expect(ServiceBindingRules.encryptedHello(places, at: "a.test", 443) == nil)
  }

  // MARK: the plan

  @Test func firstRejectionIsRepairedByTheServersKeys() throws {
    let keys = try #require(EncryptedHelloKeys(list(Configuration())))
    let others = list(configuration { $0.key = Array(repeating: 8, count: 32) })
    var plan = EncryptedHelloPlan(.automatic)
    #expect(plan.offer == .grease && plan.use(false) == .greased)
    plan.found(keys)
    #expect(plan.offer == .keys(keys) && !plan.isAgain && plan.use(true) == .accepted)
    #expect(plan.rejected(others) == .retryByKeys)
    #expect(plan.isAgain && plan.use(true) == .acceptedOnRetry)
    // The keys of the DNS no longer count.
    plan.found(keys)
    #expect(plan.offer == EncryptedHelloKeys(others).map { .keys($0) })
    #expect(plan.rejected(others) == .fail)
    #expect(!plan.isAgain)
  }

  /// What the server has sent may be nothing, or nothing of use.
  @Test(arguments: [[], [1, 2, 3], [0, 4, 0xFE, 0x0C, 0, 0]] as [[UInt8]]) func serverWithoutKeysIsConnectedToWithoutEncryption(
    _ sent: [UInt8]
  ) throws {
    let keys = try #require(EncryptedHelloKeys(list(Configuration())))
    var plan = EncryptedHelloPlan(.automatic)
    plan.found(keys)
    #expect(plan.rejected(sent) == .retryInTheClear)
    #expect(plan.offer == .nothing && plan.use(false) == .refused)
    #expect(plan.rejected(keys.bytes) == .fail)
    var strict = EncryptedHelloPlan(.required)
    strict.found(keys)
    #expect(strict.rejected(sent) == .fail)
  }

  @Test func modesSayWhatBegins() throws {
    let keys = try #require(EncryptedHelloKeys(list(Configuration())))
    var off = EncryptedHelloPlan(.off)
    off.found(keys)
    #expect(off.offer == .nothing && off.isAllowed && off.use(false) == .unused)
    var required = EncryptedHelloPlan(.required)
    #expect(!required.isAllowed)
    required.found(nil)
    #expect(!required.isAllowed)
    required.found(keys)
    #expect(required.isAllowed)
    #expect(EncryptedHelloPlan(.automatic).isAllowed)
  }
}
