import Foundation

extension URLSessionConfiguration {
  /// The Certificate Transparency logs whose signed timestamps prove that a certificate was published. Default: nil, those of the file that the
  /// environment variable `URL_LOADING_SYSTEM_CT_LOGS` names, or none without it. An addition to Apple's API.
  ///
  /// They are used only for hosts for which App Transport Security requires transparency (`NSRequiresCertificateTransparency`,
  /// ``URLSessionAppTransportSecurity/ExceptionDomain/requiresCertificateTransparency``). Without logs, such a host's certificate isn't trusted if a
  /// public authority has issued it. A background session's daemon reads the list's file again.
  public var certificateTransparencyLogs: URLSessionCertificateTransparencyLogs? {
    get { values.withLock { $0.certificateTransparencyLogs } }
    set { values.change { $0.certificateTransparencyLogs = newValue } }
  }

  /// The logs by which the session checks certificates; nil if App Transport Security requires transparency for no host.
  var effectiveTransparencyLogs: URLSessionCertificateTransparencyLogs? {
    guard let domains = appTransportSecurity?.exceptionDomains.values, domains.contains(where: \.requiresCertificateTransparency) else {
      return nil
    }
    return certificateTransparencyLogs ?? .ofProcess
  }
}
