import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel

/// What a URL session's configuration means to the engine. Durations are seconds.
package struct LoadSettings: Sendable {
  package var tls: TLSSettings
  package var maximumConnectionsPerHost = 6
  package var requestTimeout = 60.0
  package var resourceTimeout = 604_800.0
  package var additionalHeaders = HeaderFields()
  package var userAgent: String
  package var preferredLanguages: [String] = []
  /// The clock of tests; nil for the system's.
  package var clock: (any LoadClock)?

  package init(tls: TLSSettings, userAgent: String) {
    self.tls = tls
    self.userAgent = userAgent
  }
}
