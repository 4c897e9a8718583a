import Foundation

extension URLSessionConfiguration {
  /// The logs whose timestamps show that a certificate has been published. Default: nil, none. An addition to Apple's API.
  ///
  /// They count for hosts for which App Transport Security requires it (`NSRequiresCertificateTransparency`,
  /// ``URLSessionAppTransportSecurity/ExceptionDomain/requiresCertificateTransparency``), and nowhere else. Without logs such a host's certificate isn't
  /// trusted if a public authority has issued it. A background session's daemon reads the list's file again.
  public var certificateTransparencyLogs: URLSessionCertificateTransparencyLogs? {
    get { values.withLock { $0.certificateTransparencyLogs } }
    set { values.withLock { $0.certificateTransparencyLogs = newValue } }
  }
}
