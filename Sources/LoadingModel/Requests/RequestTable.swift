import Foundation

/// The properties of a request, each listed once, for all code that goes through them: archives, resume data, messages to the daemon,
/// comparisons.
///
/// URL, method, header fields, timeout and body aren't listed: that code treats each of them in its own way.
package enum RequestTable {
  /// One property of a request, with its names in stored forms.
  package struct Entry<Value> {
    /// The property's name in a `RequestRecord`.
    package let key: String
    /// The property's name in a keyed archive of `NSURLRequest`.
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

  /// Properties for which the session decides unless the request has been set: `LoadRequest.Fields.ownAccess` tells whether it has.
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
