#if TestKit
  import Foundation
  import URLLoadingSystem

  extension URLSessionConfiguration {
    /// Seconds without a byte after which a test's request has failed, where time is the system's: a busy machine takes long over many loads.
    private static let patience = 3600.0

    /// An ephemeral configuration for tests: trusts `authority` beside the system's roots, and takes its time from `clock`.
    ///
    /// Without a clock `timeoutIntervalForRequest` is an hour, so that no test fails because the machine is busy; with one it is Apple's minute.
    ///
    /// - Parameters:
    ///   - authority: The throw-away authority of a `TestServer` with TLS; nil trusts no other.
    ///   - clock: Virtual time for every timeout of the session; nil for the system's.
    public static func testing(
      trusting authority: TestCertificateAuthority? = nil, clock: ManualClock? = nil
    ) -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      if let authority { configuration.trust(authority) }
      configuration.timeoutIntervalForRequest = patience
      if let clock { configuration.use(clock) }
      return configuration
    }

    /// Trusts `authority` beside the system's roots, in sessions made from this configuration afterwards.
    public func trust(_ authority: TestCertificateAuthority) {
      trustedRootsPEM.append(authority.pem)
    }

    /// Takes the time for every timeout from `clock`, in sessions made from this configuration afterwards. The hour that `testing` gives a
    /// request becomes Apple's minute; another `timeoutIntervalForRequest` stays.
    public func use(_ clock: ManualClock) {
      loadClock = clock
      if timeoutIntervalForRequest == URLSessionConfiguration.patience { timeoutIntervalForRequest = 60 }
    }
  }
#endif
