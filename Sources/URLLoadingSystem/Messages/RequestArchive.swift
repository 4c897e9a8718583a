import Foundation
import LoadingModel

/// Encodes and decodes requests in keyed archives. The keys are those of swift-corelibs-foundation's `NSURLRequest`, so that its archives can be
/// read.
extension LoadRequest.Fields {
  private enum Key {
    static let url = "NS.url"
    static let method = "NS.httpMethod"
    static let headers = "NS._allHTTPHeaderFields"
    static let body = "NS.httpBody"
    static let timeoutInterval = "NS._timeoutInterval"
    static let toolchainCachePolicy = "NS._cachePolicy"
  }

  func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(url.map { $0 as NSURL }, forKey: Key.url)
    coder.encode(NSString(string: method), forKey: Key.method)
    coder.encode(headerDictionary.map { $0 as NSDictionary }, forKey: Key.headers)
    if let bodyData {
      bodyData.withUnsafeBytes { bytes in
        coder.encodeBytes(bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count, forKey: Key.body)
      }
    }
    coder.encode(NSNumber(value: timeoutInterval), forKey: Key.timeoutInterval)
    for entry in RequestTable.texts { coder.encode(self[keyPath: entry.path].map { NSString(string: $0) }, forKey: entry.archiveKey) }
    for entry in RequestTable.urls { coder.encode(self[keyPath: entry.path].map { $0 as NSURL }, forKey: entry.archiveKey) }
    for entry in RequestTable.numbers { coder.encode(NSNumber(value: self[keyPath: entry.path]), forKey: entry.archiveKey) }
    for entry in LoadRequest.Fields.switches { coder.encode(NSNumber(value: self[keyPath: entry.path]), forKey: entry.archiveKey) }
  }

  private static var switches: [RequestTable.Entry<Bool>] { RequestTable.flags + RequestTable.choices.map(\.entry) }

  /// Decodes a request; nil if the coder has no keys, if there is no method under its key, or if a value has the wrong type.
  init?(from coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return nil }
    self = LoadRequest(url: nil).fields
    do {
      guard let storedMethod = try coder.object(NSString.self, Key.method) else { return nil }
      method = Self.method(storedMethod as String)
      url = try coder.object(NSURL.self, Key.url).map { $0 as URL }
      headerDictionary = try coder.strings(Key.headers)
      bodyData = coder.bytes(Key.body)
      for entry in RequestTable.texts {
        self[keyPath: entry.path] = try coder.object(NSString.self, entry.archiveKey).map { $0 as String }
      }
      for entry in RequestTable.urls { self[keyPath: entry.path] = try coder.object(NSURL.self, entry.archiveKey).map { $0 as URL } }
      if let number = try coder.object(NSNumber.self, Key.timeoutInterval) { timeoutInterval = number.doubleValue }
      if let number = try coder.object(NSNumber.self, Key.toolchainCachePolicy) {
        cachePolicy = Self.cachePolicy(toolchainNumber: number.intValue)
      }
      for entry in RequestTable.numbers {
        if let number = try coder.object(NSNumber.self, entry.archiveKey) { self[keyPath: entry.path] = number.uintValue }
      }
      for entry in LoadRequest.Fields.switches {
        // A switch at its default is left alone: setting it would mark it as chosen by the request, which then overrides the session.
        if let number = try coder.object(NSNumber.self, entry.archiveKey), number.boolValue != self[keyPath: entry.path] {
          self[keyPath: entry.path] = number.boolValue
        }
      }
    } catch {
      return nil
    }
    guard coder.error == nil else { return nil }
  }

  /// swift-corelibs-foundation numbers cache policies in another order than Apple.
  private static func cachePolicy(toolchainNumber number: Int) -> UInt {
    let policies: [NSURLRequest.CachePolicy] = [
      .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .returnCacheDataElseLoad,
      .returnCacheDataDontLoad, .reloadRevalidatingCacheData,
    ]
    return policies.indices.contains(number) ? policies[number].rawValue : 0
  }
}
