import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct TransportSecurityPolicyTests {
  private func policy(_ change: (inout TransportSecurityPolicy) -> Void = { _ in }) -> TransportSecurityPolicy {
    var policy = TransportSecurityPolicy()
    change(&policy)
    return policy
  }

  /// What TLS with `host` must meet in a session with the default versions.
  private func tls(_ policy: TransportSecurityPolicy, _ host: String) -> TLSPolicy { policy.tlsPolicy(for: host, sessionMinimum: 0x0303) }

  private func exception(
    subdomains: Bool = false, insecure: Bool = false, version: UInt16? = nil, secrecy: Bool = true
  ) -> TransportSecurityPolicy.ExceptionDomain {
    var exception = TransportSecurityPolicy.ExceptionDomain()
    exception.includesSubdomains = subdomains
    exception.allowsInsecureHTTPLoads = insecure
    exception.minimumTLSVersion = version
    exception.requiresForwardSecrecy = secrecy
    return exception
  }

  @Test(arguments: [
    "localhost", "printer", "printer.", "printer.local", "a.b.local", "127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.0.9", "169.254.1.1",
    "100.64.0.1", "::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "127.1",
  ])
  func hostsThatAreNotPublicAreNotProtected(host: String) {
    #expect(policy().cleartextRefusal(for: host) == nil)
    #expect(tls(policy(), host) == .none)
    #expect(policy { $0.allowsLocalNetworking = false }.cleartextRefusal(for: host) == nil)
  }

  @Test(arguments: [
    "example.com", "example.com.", "a.b.example.com", "local.example", "notlocal.", "93.184.216.34", "172.32.0.1", "2001:db8::1", "8.8",
    "134744072", "0x08080808", "::ffff:8.8.8.8",
  ])
  func publicHostsAreProtected(host: String) {
    let isPublic = host != "notlocal."
    #expect((policy().cleartextRefusal(for: host) != nil) == isPublic)
    #expect((tls(policy(), host).minimumVersion == 0x0303) == isPublic)
    #expect((tls(policy(), host).keyExchange == .forwardSecret) == isPublic)
  }

  @Test func localNetworkingAllowsAddressesButNoPublicNames() {
    let policy = policy { $0.allowsLocalNetworking = true }
    #expect(policy.cleartextRefusal(for: "93.184.216.34") == nil)
    #expect(policy.cleartextRefusal(for: "example.com") != nil)
  }

  @Test func arbitraryLoadsLiftProtectionUnlessANarrowerKeyIsPresent() {
    #expect(policy { $0.allowsArbitraryLoads = true }.cleartextRefusal(for: "example.com") == nil)
    #expect(tls(policy { $0.allowsArbitraryLoads = true }, "example.com") == .none)
    let narrower: [WritableKeyPath<TransportSecurityPolicy, Bool?>] = [
      \.allowsArbitraryLoadsForMedia, \.allowsArbitraryLoadsInWebContent, \.allowsLocalNetworking,
    ]
    for key in narrower {
      for value in [true, false] {
        let policy = policy { policy in
          policy.allowsArbitraryLoads = true
          policy[keyPath: key] = value
        }
        #expect(policy.cleartextRefusal(for: "example.com")?.contains("NSAllowsArbitraryLoads has no effect") == true)
        #expect(tls(policy, "example.com").minimumVersion == 0x0303)
      }
    }
  }

  @Test func listedDomainStartsFromFullProtection() {
    let policy = policy { policy in
      policy.allowsArbitraryLoads = true
      policy.add(exception(), for: "Example.com.")
    }
    #expect(policy.cleartextRefusal(for: "example.com")?.contains("NSExceptionAllowsInsecureHTTPLoads for “example.com”") == true)
    #expect(policy.cleartextRefusal(for: "www.example.com") == nil)
    #expect(tls(policy, "example.com").minimumVersion == 0x0303)
  }

  @Test func closestDomainThatCoversTheHostDecides() {
    let policy = policy { policy in
      policy.add(exception(subdomains: true, insecure: true), for: "example.com")
      policy.add(exception(), for: "safe.example.com")
      policy.add(exception(insecure: true), for: "other.example")
    }
    #expect(policy.cleartextRefusal(for: "example.com") == nil)
    #expect(policy.cleartextRefusal(for: "a.b.example.com") == nil)
    #expect(policy.cleartextRefusal(for: "safe.example.com") != nil)
    #expect(policy.cleartextRefusal(for: "x.safe.example.com") == nil)
    #expect(policy.cleartextRefusal(for: "badexample.com") != nil)
    #expect(policy.cleartextRefusal(for: "www.other.example")?.contains("NSIncludesSubdomains for “other.example”") == true)
  }

  @Test func addressesAndNetworksCanBeListed() {
    let policy = policy { policy in
      policy.add(exception(insecure: true), for: "203.0.113.0/24")
      policy.add(exception(), for: "203.0.113.7")
      policy.add(exception(insecure: true), for: "[2001:db8::]/33")
      policy.add(exception(insecure: true), for: "2001:db8::/33")
    }
    #expect(policy.cleartextRefusal(for: "203.0.113.8") == nil)
    #expect(policy.cleartextRefusal(for: "203.0.113.7") != nil)
    #expect(policy.cleartextRefusal(for: "203.0.114.8")?.contains("NSAllowsLocalNetworking") == true)
    #expect(policy.cleartextRefusal(for: "2001:db8:7fff::1") == nil)
    #expect(policy.cleartextRefusal(for: "2001:db8:8000::1") != nil)
  }

  @Test func exceptionSetsVersionAndForwardSecrecy() {
    let policy = policy { policy in
      policy.add(exception(version: 0x0301), for: "old.example")
      policy.add(exception(version: 0x0304, secrecy: false), for: "new.example")
      policy.add(exception(insecure: true), for: "plain.example")
      policy.add(exception(version: 0x0304), for: "localhost")
    }
    let old = tls(policy, "old.example")
    #expect(old == TLSPolicy(minimumVersion: 0x0301, keyExchange: .forwardSecret, overrides: .denied, limitsLifetimes: true))
    #expect(tls(policy, "new.example") == TLSPolicy(minimumVersion: 0x0304, keyExchange: .any, overrides: .denied, limitsLifetimes: true))
    // Plain http is allowed; https is held to the same as everywhere, but the app may evaluate the certificate itself.
    #expect(
      tls(policy, "plain.example")
        == TLSPolicy(minimumVersion: 0x0303, keyExchange: .forwardSecret, overrides: .allowed, limitsLifetimes: true))
    #expect(tls(policy, "localhost").minimumVersion == 0x0304)
    // The session has to offer the oldest version; the hosts that it isn't for are held to the session's own.
    #expect(policy.lowestVersion(sessionMinimum: 0x0303) == 0x0301)
    #expect(tls(policy, "127.0.0.1") == TLSPolicy(minimumVersion: 0x0303))
  }

  @Test func transparencyIsRequiredOfThoseWhoseEntryAsksForIt() {
    let policy = policy { policy in
      var entry = exception()
      entry.requiresTransparency = true
      entry.includesSubdomains = true
      policy.add(entry, for: "open.example")
      policy.add(exception(), for: "quiet.open.example")
    }
    #expect(tls(policy, "open.example").requiresTransparency && tls(policy, "a.open.example").requiresTransparency)
    #expect(!tls(policy, "quiet.open.example").requiresTransparency && !tls(policy, "other.example").requiresTransparency)
  }

  @Test func sessionSetToNewerOrOlderVersionsKeepsToThem() {
    let policy = policy { policy in
      policy.add(exception(version: 0x0301), for: "old.example")
      policy.add(exception(version: 0x0303), for: "mid.example")
    }
    #expect(policy.lowestVersion(sessionMinimum: 0x0304) == 0x0304)
    #expect(policy.tlsPolicy(for: "old.example", sessionMinimum: 0x0304).minimumVersion == 0x0304)
    #expect(policy.tlsPolicy(for: "mid.example", sessionMinimum: 0x0301).minimumVersion == 0x0303)
    #expect(policy.tlsPolicy(for: "example.com", sessionMinimum: 0x0301).minimumVersion == 0x0303)
    #expect(policy.tlsPolicy(for: "localhost", sessionMinimum: 0x0301) == .none)
  }

  @Test func pinsHoldWhateverElseIsAllowed() {
    let policy = policy { policy in
      policy.allowsArbitraryLoads = true
      var pins = TransportSecurityPolicy.PinnedDomain()
      pins.leaves = [Data([1])]
      policy.add(pins, for: "leaf.example")
      pins.includesSubdomains = true
      pins.authorities = [Data([2])]
      policy.add(pins, for: "both.example")
    }
    #expect(tls(policy, "leaf.example").leafPins == [Data([1])])
    #expect(tls(policy, "leaf.example").minimumVersion == 0)
    #expect(tls(policy, "x.leaf.example") == .none)
    #expect(tls(policy, "x.both.example").authorityPins == [Data([2])])
    #expect(tls(policy, "x.both.example").leafPins == [Data([1])])
  }

  @Test func refusalSaysWhatWouldAllowTheLoad() throws {
    let text = try #require(policy().cleartextRefusal(for: "example.com"))
    #expect(text.contains("“example.com”"))
    for key in ["NSExceptionAllowsInsecureHTTPLoads", "NSExceptionDomains", "NSAllowsArbitraryLoads", "NSAppTransportSecurity"] {
      #expect(text.contains(key))
    }
    let unread = policy { $0.unreadableSource = "no settings could be read from /x" }
    #expect(unread.cleartextRefusal(for: "example.com")?.hasSuffix("because no settings could be read from /x") == true)
    #expect(policy().handshakeNote(for: "example.com")?.contains("NSExceptionMinimumTLSVersion") == true)
    #expect(policy().handshakeNote(for: "localhost") == nil)
  }
}
