import Foundation
import HTTPTransport
import Testing

@testable import URLLoadingSystem

/// What of a configuration's sockets and names reaches the engine.
@Suite struct NamePlanTests {
  private func configure(_ configuration: URLSessionConfiguration) throws -> DialPlan {
    configuration.unixSocketPath = "/run/web.sock"
    configuration.nameResolution = .fixed(["api.test": ["127.0.0.1"]])
    configuration.nameResolution.connectTo = ["other.test": "api.test"]
    let copy = try #require(configuration.copy() as? URLSessionConfiguration)
    return SessionSettings.make(copy).dialing
  }

  @Test func nothingIsSetByDefault() {
    let plan = SessionSettings.make(.default).dialing
    #expect(plan.socketPath == nil && plan.places.isEmpty && plan.resolver is SystemResolver && !plan.validatesNames)
  }

  @Test func allReachesTheEngine() throws {
    let plan = try configure(.ephemeral)
    #expect(plan.socketPath == "/run/web.sock" && !plan.places.isEmpty && plan.resolver.isFixed("api.test", 80))
  }

  @Test func backgroundSessionsIgnoreAll() throws {
    let plan = try configure(.background(withIdentifier: UUID().uuidString))
    #expect(plan.socketPath == nil && plan.places.isEmpty && plan.resolver is SystemResolver)
  }

  @Test func recordsOfTheDNSAreAskedOfTheSameServer() throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.nameResolution = .https(try #require(URL(string: "https://dns.test/")), bootstrap: ["127.0.0.1"], trustsDNSSEC: true)
    let settings = SessionSettings.make(configuration)
    #expect(settings.dialing.resolver is DNSOverHTTPS && !settings.dialing.validatesNames)
    #if HTTP3
      #expect(settings.serviceBindings is DNSOverHTTPS)
    #endif
    configuration.requiresDNSSECValidation = true
    #expect(SessionSettings.make(configuration).dialing.validatesNames)
    configuration.nameResolution = .custom { _, _ in [] }
    #expect(SessionSettings.make(configuration).serviceBindings == nil)
  }
}
