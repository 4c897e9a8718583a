import Foundation
import LoadingModel

extension BackgroundConfiguration {
  /// The settings that are flags and numbers, each with its key and key path in one table.
  ///
  /// They are coded as members of the enclosing container, beside the other settings. A member that an app of an earlier version didn't send keeps
  /// its default.
  struct Scalars: Codable, Sendable {
    private var flags: [String: Bool] = [:]
    private var numbers: [String: Int] = [:]
    private var times: [String: Double] = [:]

    typealias Path<Value> = ReferenceWritableKeyPath<URLSessionConfiguration, Value>

    static var allFlags: [(key: String, path: Path<Bool>)] {
      [
        ("allowsCellular", \.allowsCellularAccess), ("allowsExpensive", \.allowsExpensiveNetworkAccess),
        ("allowsConstrained", \.allowsConstrainedNetworkAccess), ("allowsUltraConstrained", \.allowsUltraConstrainedNetworkAccess),
        ("requiresDNSSEC", \.requiresDNSSECValidation), ("pipelines", \.httpShouldUsePipelining), ("setsCookies", \.httpShouldSetCookies),
        ("allowsFastOpen", \.allowsFastOpen), ("enablesEarlyData", \.enablesEarlyData),
      ]
    }

    static var allNumbers: [(key: String, path: Path<Int>)] {
      [
        ("cachePolicy", \.cachePolicyNumber), ("serviceType", \.serviceTypeNumber), ("multipath", \.multipathNumber),
        ("minimumTLS", \.minimumTLSNumber), ("maximumTLS", \.maximumTLSNumber), ("cookiePolicy", \.cookiePolicyNumber),
        ("connectionsPerHost", \.httpMaximumConnectionsPerHost), ("encryptedHello", \.encryptedHelloNumber),
      ]
    }

    static var allTimes: [(key: String, path: Path<Double>)] {
      [("requestTimeout", \.timeoutIntervalForRequest), ("resourceTimeout", \.timeoutIntervalForResource)]
    }

    init(_ given: URLSessionConfiguration) {
      for (key, path) in Scalars.allFlags { flags[key] = given[keyPath: path] }
      for (key, path) in Scalars.allNumbers { numbers[key] = given[keyPath: path] }
      for (key, path) in Scalars.allTimes { times[key] = given[keyPath: path] }
    }

    func apply(to made: URLSessionConfiguration) {
      for (key, path) in Scalars.allFlags { if let value = flags[key] { made[keyPath: path] = value } }
      for (key, path) in Scalars.allNumbers { if let value = numbers[key] { made[keyPath: path] = value } }
      for (key, path) in Scalars.allTimes { if let value = times[key] { made[keyPath: path] = value } }
    }

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(_ name: String) { stringValue = name }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      for (key, _) in Scalars.allFlags { flags[key] = try values.decodeIfPresent(Bool.self, forKey: Key(key)) }
      for (key, _) in Scalars.allNumbers { numbers[key] = try values.decodeIfPresent(Int.self, forKey: Key(key)) }
      for (key, _) in Scalars.allTimes { times[key] = try values.decodeIfPresent(Double.self, forKey: Key(key)) }
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      for (key, value) in flags { try values.encode(value, forKey: Key(key)) }
      for (key, value) in numbers { try values.encode(value, forKey: Key(key)) }
      for (key, value) in times { try values.encode(value, forKey: Key(key)) }
    }
  }
}

// Enumerations of the configuration as numbers, for `Scalars`. Setting an unknown number leaves the property unchanged.

extension URLSessionConfiguration {
  fileprivate var cachePolicyNumber: Int {
    get { Int(requestCachePolicy.rawValue) }
    set { requestCachePolicy = UInt(exactly: newValue).flatMap(NSURLRequest.CachePolicy.init(rawValue:)) ?? requestCachePolicy }
  }

  fileprivate var encryptedHelloNumber: Int {
    get { EncryptedClientHello.allCases.firstIndex(of: encryptedClientHello) ?? 0 }
    set {
      let all = EncryptedClientHello.allCases
      if all.indices.contains(newValue) { encryptedClientHello = all[newValue] }
    }
  }

  fileprivate var serviceTypeNumber: Int {
    get { Int(networkServiceType.rawValue) }
    set { networkServiceType = UInt(exactly: newValue).flatMap(NSURLRequest.NetworkServiceType.init(rawValue:)) ?? networkServiceType }
  }

  fileprivate var multipathNumber: Int {
    get { multipathServiceType.rawValue }
    set { multipathServiceType = MultipathServiceType(rawValue: newValue) ?? multipathServiceType }
  }

  fileprivate var minimumTLSNumber: Int {
    get { Int(tlsMinimumSupportedProtocolVersion.rawValue) }
    set {
      let known = UInt16(exactly: newValue).flatMap(tls_protocol_version_t.init(rawValue:))
      tlsMinimumSupportedProtocolVersion = known ?? tlsMinimumSupportedProtocolVersion
    }
  }

  fileprivate var maximumTLSNumber: Int {
    get { Int(tlsMaximumSupportedProtocolVersion.rawValue) }
    set {
      let known = UInt16(exactly: newValue).flatMap(tls_protocol_version_t.init(rawValue:))
      tlsMaximumSupportedProtocolVersion = known ?? tlsMaximumSupportedProtocolVersion
    }
  }

  fileprivate var cookiePolicyNumber: Int {
    get { Int(httpCookieAcceptPolicy.rawValue) }
    set { httpCookieAcceptPolicy = UInt(exactly: newValue).flatMap(HTTPCookie.AcceptPolicy.init(rawValue:)) ?? httpCookieAcceptPolicy }
  }
}
