import Foundation
import HTTPTransport
import LoadingEngine
import ProtocolRules

/// Translates a configuration's `unixSocketPath` and `nameResolution` into the engine's `LoadSettings`.
struct NamePlan {
  private let configuration: URLSessionConfiguration

  init(_ configuration: URLSessionConfiguration) { self.configuration = configuration }

  func apply(to settings: inout LoadSettings) {
    let names = configuration.nameResolution
    settings.dialing.socketPath = configuration.unixSocketPath
    if !names.connectTo.isEmpty { settings.dialing.places = ConnectTable(names.connectTo) }
    switch names.source {
    case .system: break
    case .fixed(let table): settings.dialing.resolver = FixedResolver(AddressTable(table))
    case .custom(let resolve):
      settings.dialing.resolver = AppResolver(configuration.loadClock ?? SystemClock(), resolve)
      settings.serviceBindings = nil
    case .https(let server):
      let validates = server.trustsDNSSEC && configuration.requiresDNSSECValidation
      let resolver = DNSOverHTTPS(server, for: configuration, requiresValidation: validates)
      settings.dialing.resolver = resolver
      settings.dialing.validatesNames = validates
      settings.serviceBindings = resolver
    }
  }
}
