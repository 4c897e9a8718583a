import ProtocolRules
import Stores

/// How a session handles cookies: where they are stored, which are sent, and which accepted.
package struct CookieSettings: Sendable {
  package enum Storage: Sendable {
    case store(CookieStore)
    /// The app's own class of storage: the load's client asks it.
    case app
  }

  package enum Sending: Sendable {
    /// Stored cookies are attached to requests.
    case stored
    /// Stored cookies aren't attached; only the app's own `Cookie` field is sent.
    case appOnly
  }

  package var storage: Storage
  package var sending: Sending
  package var acceptance: CookieAcceptPolicy

  package init(storage: Storage, sending: Sending, acceptance: CookieAcceptPolicy) {
    self.storage = storage
    self.sending = sending
    self.acceptance = acceptance
  }
}
