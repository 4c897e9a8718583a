import Foundation

/// A request without its body, to be sent to another process or written to a file. Properties of `RequestTable` that have their default value are
/// left out.
///
/// Its values become members of the container that it is encoded into, beside other ones. A property that is missing, because an earlier version
/// didn't write it, gets its default.
package struct RequestRecord: Codable, Sendable {
  private let fields: LoadRequest.Fields

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    static let url = Key("url")
    static let method = Key("method")
    static let fields = Key("fields")
    static let timeout = Key("timeout")
    static let attachedCookies = Key("attachedCookies")
    static let attachedTimes = Key("attachedTimes")
  }

  private struct Field: Codable {
    let name: String
    let value: String
  }

  package init(_ request: LoadRequest) { fields = request.fields }

  /// The request, with `body` as its body.
  package func request(_ body: LoadRequest.Body) -> LoadRequest {
    var fields = fields
    fields.body = body
    return LoadRequest(fields)
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    var fields = LoadRequest.Fields()
    fields.setURL(try values.decodeIfPresent(URL.self, forKey: .url))
    fields.method = try values.decode(String.self, forKey: .method)
    fields.headers = HeaderFields(try values.decode([Field].self, forKey: .fields).map { ($0.name, $0.value) })
    fields.timeoutInterval = try values.decode(Double.self, forKey: .timeout)
    fields.attachedCookies = try RequestRecord.attachedCookies(values)
    func take<Value: Decodable>(_ entries: [RequestTable.Entry<Value>]) throws {
      for entry in entries {
        if let value = try values.decodeIfPresent(Value.self, forKey: Key(entry.key)) { fields[keyPath: entry.path] = value }
      }
    }
    try take(RequestTable.flags)
    try take(RequestTable.choices.map(\.entry))
    try take(RequestTable.numbers)
    for entry in RequestTable.texts { fields[keyPath: entry.path] = try values.decodeIfPresent(String.self, forKey: Key(entry.key)) }
    for entry in RequestTable.urls { fields[keyPath: entry.path] = try values.decodeIfPresent(URL.self, forKey: Key(entry.key)) }
    self.fields = fields
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    let first = LoadRequest.Fields()
    try values.encodeIfPresent(fields.relativeURL ?? fields.url, forKey: .url)
    try values.encode(fields.method, forKey: .method)
    try values.encode(fields.headers.entries.map { Field(name: $0.name, value: $0.value) }, forKey: .fields)
    try values.encode(fields.timeoutInterval, forKey: .timeout)
    if !fields.attachedCookies.isEmpty {
      try values.encode(fields.attachedCookies.map(\.pair).joined(separator: "; "), forKey: .attachedCookies)
      try values.encode(fields.attachedCookies.map(\.stored.timeIntervalSince1970), forKey: .attachedTimes)
    }
    func put<Value: Encodable & Equatable>(_ entries: [RequestTable.Entry<Value>]) throws {
      for entry in entries where fields[keyPath: entry.path] != first[keyPath: entry.path] {
        try values.encode(fields[keyPath: entry.path], forKey: Key(entry.key))
      }
    }
    try put(RequestTable.flags)
    for (entry, access) in RequestTable.choices where fields.ownAccess.contains(access) {
      try values.encode(fields[keyPath: entry.path], forKey: Key(entry.key))
    }
    try put(RequestTable.numbers)
    try put(RequestTable.texts)
    try put(RequestTable.urls)
  }

  /// The times are stored beside the cookies, because earlier versions write and read only those. Cookies without times count as older than any
  /// other.
  private static func attachedCookies(_ values: KeyedDecodingContainer<Key>) throws -> [AttachedCookie] {
    guard let field = try values.decodeIfPresent(String.self, forKey: .attachedCookies) else { return [] }
    let pairs = field.split(separator: ";").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    let times = try values.decodeIfPresent([Double].self, forKey: .attachedTimes) ?? []
    return pairs.enumerated().map { place, pair in
      AttachedCookie(String(pair), stored: times.count == pairs.count ? Date(timeIntervalSince1970: times[place]) : .distantPast)
    }
  }
}
