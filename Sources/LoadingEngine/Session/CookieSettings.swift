import ProtocolRules
import Stores

/// How a session deals with cookies.
package struct CookieSettings: Sendable {
  package enum Storage: Sendable {
    case store(CookieStore)
    /// A storage class of the app's own: the client asks it.
    case app
  }

  package enum Sending: Sendable {
    /// Stored cookies are attached to requests.
    case stored
    /// Only what the app puts into the request.
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
