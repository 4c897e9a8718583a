#if TestKit
  import Foundation

  /// The period in which a test certificate is valid.
  struct CertificateValidity {
    let notBefore: Date
    let notAfter: Date

    /// A period from `notBefore` to `notAfter`. A missing beginning is a day ago, or a day before `notAfter` if that is earlier. A missing end is in
    /// a day, or a day after `notBefore` if that is later.
    init(notBefore: Date? = nil, notAfter: Date? = nil) {
      let day: TimeInterval = 86400
      self.notBefore = notBefore ?? min(Date(timeIntervalSinceNow: -day), (notAfter ?? .distantFuture).addingTimeInterval(-day))
      self.notAfter = notAfter ?? max(Date(timeIntervalSinceNow: day), self.notBefore.addingTimeInterval(day))
    }
  }
#endif
