import Foundation
import URLLoadingSystem

extension URLSessionConfiguration {
  /// An ephemeral configuration for tests: trusts `authority` beside the system's roots, and takes its time from `clock`.
  ///
  /// - Parameters:
  ///   - authority: The throw-away authority of a `TestServer` with TLS; nil trusts no other.
  ///   - clock: Virtual time for every timeout of the session; nil for the system's.
  public static func testing(
    trusting authority: TestCertificateAuthority? = nil, clock: ManualClock? = nil
  ) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    if let authority { configuration.trust(authority) }
    if let clock { configuration.use(clock) }
    return configuration
  }

  /// Trusts `authority` beside the system's roots, in sessions made from this configuration afterwards.
  public func trust(_ authority: TestCertificateAuthority) {
    trustedRootsPEM.append(authority.pem)
  }

  /// Takes the time for every timeout from `clock`, in sessions made from this configuration afterwards.
  public func use(_ clock: ManualClock) {
    loadClock = clock
  }
}
