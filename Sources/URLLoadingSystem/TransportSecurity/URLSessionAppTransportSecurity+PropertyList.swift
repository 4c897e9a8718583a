import Foundation
import LoadingModel

extension URLSessionAppTransportSecurity {
  static let key = "NSAppTransportSecurity"

  /// Reads the settings from a property list file.
  ///
  /// - Parameter url: A file: an Info.plist with the key `NSAppTransportSecurity`, or that key's dictionary alone.
  /// - Throws: `CocoaError` if the file can't be read or holds no dictionary.
  public init(contentsOf url: URL) throws {
    let data = try Data(contentsOf: url)
    let isReadable = !data.starts(with: Data("bplist".utf8)) || BinaryPropertyList.isSound(data)
    let list = isReadable ? try PropertyListSerialization.propertyList(from: data, format: nil) : nil
    guard let dictionary = list as? [String: Any] else {
      throw CocoaError(
        .propertyListReadCorrupt, userInfo: [NSLocalizedDescriptionKey: "\(url.path) holds no dictionary; write an Info.plist's contents"])
    }
    self.init(propertyList: dictionary[URLSessionAppTransportSecurity.key] as? [String: Any] ?? dictionary)
  }

  /// Reads the settings from the dictionary that an Info.plist has under `NSAppTransportSecurity`.
  ///
  /// Unknown keys are ignored. A value of the wrong type counts as absent, except for pins: a pin that can't be read matches no key. The older names
  /// that begin with `NSThirdPartyException` and `NSTemporaryException` are understood.
  public init(propertyList: [String: Any]) {
    self.init()
    allowsArbitraryLoads = URLSessionAppTransportSecurity.flag(propertyList["NSAllowsArbitraryLoads"]) ?? false
    allowsArbitraryLoadsForMedia = URLSessionAppTransportSecurity.flag(propertyList["NSAllowsArbitraryLoadsForMedia"])
    allowsArbitraryLoadsInWebContent = URLSessionAppTransportSecurity.flag(propertyList["NSAllowsArbitraryLoadsInWebContent"])
    allowsLocalNetworking = URLSessionAppTransportSecurity.flag(propertyList["NSAllowsLocalNetworking"])
    for (domain, entry) in propertyList["NSExceptionDomains"] as? [String: Any] ?? [:] {
      exceptionDomains[domain] = ExceptionDomain(propertyList: entry as? [String: Any] ?? [:])
    }
    for (domain, entry) in propertyList["NSPinnedDomains"] as? [String: Any] ?? [:] {
      pinnedDomains[domain] = PinnedDomain(propertyList: entry as? [String: Any] ?? [:])
    }
  }

  fileprivate static func flag(_ value: Any?) -> Bool? {
    switch value {
    case let value as Bool: value
    case let value as NSNumber: value.boolValue
    // Property lists written by hand may contain these strings instead of booleans.
    case let value as String: ["yes", "true", "1"].contains(value.lowercased())
    default: nil
    }
  }
}

extension URLSessionAppTransportSecurity.ExceptionDomain {
  fileprivate init(propertyList: [String: Any]) {
    func value(_ name: String) -> Any? {
      propertyList["NSException" + name] ?? propertyList["NSThirdPartyException" + name] ?? propertyList["NSTemporaryException" + name]
    }
    self.init()
    includesSubdomains = URLSessionAppTransportSecurity.flag(propertyList["NSIncludesSubdomains"]) ?? false
    allowsInsecureHTTPLoads = URLSessionAppTransportSecurity.flag(value("AllowsInsecureHTTPLoads")) ?? false
    requiresForwardSecrecy = URLSessionAppTransportSecurity.flag(value("RequiresForwardSecrecy")) ?? true
    requiresCertificateTransparency = URLSessionAppTransportSecurity.flag(propertyList["NSRequiresCertificateTransparency"]) ?? false
    minimumTLSVersion =
      switch value("MinimumTLSVersion") as? String {
      case "TLSv1.0": .TLSv10
      case "TLSv1.1": .TLSv11
      case "TLSv1.2": .TLSv12
      case "TLSv1.3": .TLSv13
      default: nil
      }
  }
}

extension URLSessionAppTransportSecurity.PinnedDomain {
  fileprivate init(propertyList: [String: Any]) {
    self.init()
    includesSubdomains = URLSessionAppTransportSecurity.flag(propertyList["NSIncludesSubdomains"]) ?? false
    caIdentities = Self.identities(propertyList["NSPinnedCAIdentities"])
    leafIdentities = Self.identities(propertyList["NSPinnedLeafIdentities"])
  }

  private static func identities(_ list: Any?) -> Set<Data> {
    guard let list else { return [] }
    // Entries that can't be read become empty hashes, which match no key.
    return Set((list as? [Any] ?? [list]).map(identity))
  }

  private static func identity(_ entry: Any) -> Data {
    let text = (entry as? [String: Any])?["SPKI-SHA256-BASE64"] as? String ?? ""
    return Data(base64Encoded: text, options: .ignoreUnknownCharacters).flatMap { $0.count == 32 ? $0 : nil } ?? Data()
  }
}
