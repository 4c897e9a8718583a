import Foundation

/// The properties of a request, each listed once: what archives, resume data, messages to the daemon and comparisons go through.
///
/// URL, method, header fields, timeout and body have forms of their own in these.
package enum RequestTable {
  /// One property.
  package struct Entry<Value> {
    /// Its name in a `RequestRecord`.
    package let key: String
    /// Its name in a keyed archive of `NSURLRequest`.
    package let archiveKey: String
    package let path: WritableKeyPath<LoadRequest.Fields, Value>

    init(_ key: String, _ archiveKey: String, _ path: WritableKeyPath<LoadRequest.Fields, Value>) {
      (self.key, self.archiveKey, self.path) = (key, archiveKey, path)
    }
  }

  package static var flags: [Entry<Bool>] {
    [
      Entry("allowsCellular", "NS._allowsCellularAccess", \.allowsCellularAccess),
      Entry("allowsUltraConstrained", "NS._allowsUltraConstrainedNetworkAccess", \.allowsUltraConstrainedNetworkAccess),
      Entry("assumesHTTP3", "NS._assumesHTTP3Capable", \.assumesHTTP3Capable),
      Entry("requiresDNSSEC", "NS._requiresDNSSECValidation", \.requiresDNSSECValidation),
      Entry("allowsPersistentDNS", "NS._allowsPersistentDNS", \.allowsPersistentDNS),
      Entry("handlesCookies", "NS._httpShouldHandleCookies", \.shouldHandleCookies),
      Entry("usesPipelining", "NS._httpShouldUsePipelining", \.shouldUsePipelining),
    ]
  }

  /// What a request leaves to its session unless it has been set: whether it was is in `LoadRequest.Fields.ownAccess`.
  package static var choices: [(entry: Entry<Bool>, access: NetworkAccess)] {
    [
      (Entry("allowsExpensive", "NS._allowsExpensiveNetworkAccess", \.allowsExpensiveNetworkAccess), .expensive),
      (Entry("allowsConstrained", "NS._allowsConstrainedNetworkAccess", \.allowsConstrainedNetworkAccess), .constrained),
    ]
  }

  package static var numbers: [Entry<UInt>] {
    [
      Entry("cachePolicy", "NS.cachePolicy", \.cachePolicy), Entry("serviceType", "NS._networkServiceType", \.networkServiceType),
      Entry("attribution", "NS._attribution", \.attribution),
    ]
  }

  package static var texts: [Entry<String?>] {
    [Entry("partition", "NS._cookiePartitionIdentifier", \.cookiePartitionIdentifier)]
  }

  package static var urls: [Entry<URL?>] {
    [Entry("mainDocument", "NS.mainDocumentURL", \.mainDocumentURL)]
  }
}
