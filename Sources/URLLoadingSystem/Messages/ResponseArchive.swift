import Foundation
import LoadingModel
import ProtocolRules

/// Encodes and decodes responses in keyed archives. The keys are those of swift-corelibs-foundation's `URLResponse` and `HTTPURLResponse`, so that
/// their archives can be read.
extension LoadResponse {
  private enum Key {
    static let url = "NS.url"
    static let mimeType = "NS.mimeType"
    static let expectedContentLength = "NS.expectedContentLength"
    static let textEncodingName = "NS.textEncodingName"
    static let suggestedFilename = "NS.suggestedFilename"
    static let statusCode = "NS.statusCode"
    static let httpVersion = "NS.httpVersion"
    static let headers = "NS.allHeaderFields"
  }

  func encode(with coder: NSCoder, suggestedFilename: String?) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(url as NSURL, forKey: Key.url)
    coder.encode(expectedLength, forKey: Key.expectedContentLength)
    // This class computes the name when it is asked for; it is written for swift-corelibs-foundation's class, which stores it.
    coder.encode(suggestedFilename.map { NSString(string: $0) }, forKey: Key.suggestedFilename)
    switch kind {
    case .http(let head):
      let mimeType = MIMEType.lenientEssence(head.headers) ?? sniffedType
      coder.encode(mimeType.map { NSString(string: $0) }, forKey: Key.mimeType)
      coder.encode(MIMEType.named(by: head.headers)?.charset.map { NSString(string: $0) }, forKey: Key.textEncodingName)
      coder.encode(head.status, forKey: Key.statusCode)
      coder.encode(NSString(string: head.version), forKey: Key.httpVersion)
      coder.encode(head.headers.spelledDictionary(separator: ", ") as NSDictionary, forKey: Key.headers)
    case .plain(let mimeType, let textEncoding):
      coder.encode(mimeType.map { NSString(string: $0) }, forKey: Key.mimeType)
      coder.encode(textEncoding.map { NSString(string: $0) }, forKey: Key.textEncodingName)
    case .native, .absent:
      break
    }
  }

  /// Decodes a response; nil if the coder has no keys, if there is no URL under its key, or if a value has the wrong type.
  init?(from coder: NSCoder) {
    do {
      guard coder.allowsKeyedCoding, let url = try coder.object(NSURL.self, Key.url) else { return nil }
      let length = coder.containsValue(forKey: Key.expectedContentLength) ? coder.decodeInt64(forKey: Key.expectedContentLength) : -1
      let kind = try Self.kind(from: coder)
      guard coder.error == nil else { return nil }
      self.init(url: url as URL, kind: kind, expectedLength: length)
      if case .http(let head) = kind, !head.headers.contains("Content-Type") {
        sniffedType = try coder.object(NSString.self, Key.mimeType) as String?
      }
    } catch {
      return nil
    }
  }

  private static func kind(from coder: NSCoder) throws(NSCoder.MistypedValue) -> Kind {
    guard coder.containsValue(forKey: Key.statusCode) else {
      return .plain(
        mimeType: try coder.object(NSString.self, Key.mimeType) as String?,
        textEncoding: try coder.object(NSString.self, Key.textEncodingName) as String?)
    }
    let headers = try coder.strings(Key.headers) ?? [:]
    let version = try coder.object(NSString.self, Key.httpVersion) as String?
    return .http(
      ResponseHead(
        status: coder.decodeInteger(forKey: Key.statusCode), version: version ?? "HTTP/1.1",
        headers: HeaderFields(headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })))
  }
}
