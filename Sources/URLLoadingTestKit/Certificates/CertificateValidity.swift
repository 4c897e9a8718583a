#if TestKit
  import Foundation

  /// From when until when a test's certificate is valid.
  struct CertificateValidity {
    let notBefore: Date
    let notAfter: Date

    /// A day around now, where nothing else is asked for.
    init(notBefore: Date? = nil, notAfter: Date? = nil) {
      let day: TimeInterval = 86400
      self.notBefore = notBefore ?? min(Date(timeIntervalSinceNow: -day), (notAfter ?? .distantFuture).addingTimeInterval(-day))
      self.notAfter = notAfter ?? max(Date(timeIntervalSinceNow: day), self.notBefore.addingTimeInterval(day))
    }
  }
#endif
