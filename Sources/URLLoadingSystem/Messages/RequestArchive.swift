import Foundation
import LoadingModel

/// Keyed-archive form of a request. The keys are those of the toolchain's own `NSURLRequest`, so that its archives can be read.
extension LoadRequest.Fields {
  private enum Key {
    static let url = "NS.url"
    static let mainDocumentURL = "NS.mainDocumentURL"
    static let method = "NS.httpMethod"
    static let headers = "NS._allHTTPHeaderFields"
    static let body = "NS.httpBody"
    static let timeoutInterval = "NS._timeoutInterval"
    static let cookiePartitionIdentifier = "NS._cookiePartitionIdentifier"
    static let toolchainCachePolicy = "NS._cachePolicy"
  }

  private static var numbers: [(key: String, path: WritableKeyPath<LoadRequest.Fields, UInt>)] {
    [
      ("NS.cachePolicy", \.cachePolicy), ("NS._networkServiceType", \.networkServiceType), ("NS._attribution", \.attribution),
    ]
  }

  private static var flags: [(key: String, path: WritableKeyPath<LoadRequest.Fields, Bool>)] {
    [
      ("NS._allowsCellularAccess", \.allowsCellularAccess),
      ("NS._allowsExpensiveNetworkAccess", \.allowsExpensiveNetworkAccess),
      ("NS._allowsConstrainedNetworkAccess", \.allowsConstrainedNetworkAccess),
      ("NS._allowsUltraConstrainedNetworkAccess", \.allowsUltraConstrainedNetworkAccess),
      ("NS._assumesHTTP3Capable", \.assumesHTTP3Capable),
      ("NS._requiresDNSSECValidation", \.requiresDNSSECValidation),
      ("NS._allowsPersistentDNS", \.allowsPersistentDNS),
      ("NS._httpShouldHandleCookies", \.shouldHandleCookies),
      ("NS._httpShouldUsePipelining", \.shouldUsePipelining),
    ]
  }

  func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(url.map { $0 as NSURL }, forKey: Key.url)
    coder.encode(mainDocumentURL.map { $0 as NSURL }, forKey: Key.mainDocumentURL)
    coder.encode(NSString(string: method), forKey: Key.method)
    coder.encode(headerDictionary.map { $0 as NSDictionary }, forKey: Key.headers)
    if let bodyData {
      bodyData.withUnsafeBytes { bytes in
        coder.encodeBytes(bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count, forKey: Key.body)
      }
    }
    coder.encode(NSNumber(value: timeoutInterval), forKey: Key.timeoutInterval)
    coder.encode(cookiePartitionIdentifier.map { NSString(string: $0) }, forKey: Key.cookiePartitionIdentifier)
    for (key, path) in Self.numbers { coder.encode(NSNumber(value: self[keyPath: path]), forKey: key) }
    for (key, path) in Self.flags { coder.encode(NSNumber(value: self[keyPath: path]), forKey: key) }
  }

  /// nil if the coder has no keys, no method under the key every archive of a request has, or a value of the wrong type.
  init?(from coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return nil }
    self = LoadRequest(url: nil).fields
    do {
      guard let storedMethod = try coder.object(NSString.self, Key.method) else { return nil }
      method = Self.method(storedMethod as String)
      url = try coder.object(NSURL.self, Key.url).map { $0 as URL }
      mainDocumentURL = try coder.object(NSURL.self, Key.mainDocumentURL).map { $0 as URL }
      headerDictionary = try coder.strings(Key.headers)
      bodyData = coder.bytes(Key.body)
      cookiePartitionIdentifier = try coder.object(NSString.self, Key.cookiePartitionIdentifier).map { $0 as String }
      if let number = try coder.object(NSNumber.self, Key.timeoutInterval) { timeoutInterval = number.doubleValue }
      if let number = try coder.object(NSNumber.self, Key.toolchainCachePolicy) {
        cachePolicy = Self.cachePolicy(toolchainNumber: number.intValue)
      }
      for (key, path) in Self.numbers {
        if let number = try coder.object(NSNumber.self, key) { self[keyPath: path] = number.uintValue }
      }
      for (key, path) in Self.flags {
        // What is as it was at first isn't a choice of the request's own.
        if let number = try coder.object(NSNumber.self, key), number.boolValue != self[keyPath: path] {
          self[keyPath: path] = number.boolValue
        }
      }
    } catch {
      return nil
    }
    guard coder.error == nil else { return nil }
  }

  /// The toolchain's module numbers its policies in another order than Apple.
  private static func cachePolicy(toolchainNumber number: Int) -> UInt {
    let policies: [NSURLRequest.CachePolicy] = [
      .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .returnCacheDataElseLoad,
      .returnCacheDataDontLoad, .reloadRevalidatingCacheData,
    ]
    return policies.indices.contains(number) ? policies[number].rawValue : 0
  }
}
