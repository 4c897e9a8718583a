import Foundation

extension URLSessionConfiguration {
  /// The logs whose timestamps show that a certificate has been published. Default: nil, those of the file that the environment variable
  /// `URL_LOADING_SYSTEM_CT_LOGS` names, or else none. An addition to Apple's API.
  ///
  /// They count for hosts for which App Transport Security requires it (`NSRequiresCertificateTransparency`,
  /// ``URLSessionAppTransportSecurity/ExceptionDomain/requiresCertificateTransparency``), and nowhere else. Without logs such a host's certificate isn't
  /// trusted if a public authority has issued it. A background session's daemon reads the list's file again.
  public var certificateTransparencyLogs: URLSessionCertificateTransparencyLogs? {
    get { values.withLock { $0.certificateTransparencyLogs } }
    set { values.withLock { $0.certificateTransparencyLogs = newValue } }
  }

  /// The logs that count in a session: nil where no host's certificates have to have been published.
  var effectiveTransparencyLogs: URLSessionCertificateTransparencyLogs? {
    guard let domains = appTransportSecurity?.exceptionDomains.values, domains.contains(where: \.requiresCertificateTransparency) else {
      return nil
    }
    return certificateTransparencyLogs ?? .ofProcess
  }
}
