#if TestKit
  import Foundation
  import URLLoadingSystem

  extension URLSessionConfiguration {
    /// The `timeoutIntervalForRequest`, in seconds, of tests with real time: an hour, so that a busy machine doesn't make a request time out.
    private static let patience = 3600.0

    /// An ephemeral configuration for tests: trusts `authority` in addition to the system's roots, and takes its time from `clock`.
    ///
    /// Without a clock, `timeoutIntervalForRequest` is an hour, so that no test fails because the machine is busy; with a clock it is Apple's
    /// default, a minute.
    ///
    /// - Parameters:
    ///   - authority: The test authority that has issued the server's certificate; nil to trust only the system's roots.
    ///   - clock: Virtual time for every timeout of the session; nil for the system's time.
    public static func testing(
      trusting authority: TestCertificateAuthority? = nil, clock: ManualClock? = nil
    ) -> URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      if let authority { configuration.trust(authority) }
      configuration.timeoutIntervalForRequest = patience
      if let clock { configuration.use(clock) }
      return configuration
    }

    /// Trusts `authority` in addition to the system's roots, in sessions that are created from this configuration afterwards.
    public func trust(_ authority: TestCertificateAuthority) {
      trustedRootsPEM.append(authority.pem)
    }

    /// Takes the time for every timeout from `clock`, in sessions that are created from this configuration afterwards. If `timeoutIntervalForRequest`
    /// is the hour that `testing` sets, it becomes Apple's default of a minute; another value stays.
    public func use(_ clock: ManualClock) {
      loadClock = clock
      if timeoutIntervalForRequest == URLSessionConfiguration.patience { timeoutIntervalForRequest = 60 }
    }
  }
#endif
