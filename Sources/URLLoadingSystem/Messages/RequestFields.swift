import Foundation
import LoadingModel
import ProtocolRules

/// Reading and changing of a request's fields, as `URLRequest` and `NSMutableURLRequest` both do it.
extension LoadRequest.Fields {
  /// The method as the setters store it: nil becomes GET; the six names below are upper-cased, any other is kept as given.
  static func method(_ given: String?) -> String {
    guard let given else { return "GET" }
    for known in ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"] where given.equalsIgnoringCase(known) { return known }
    return given
  }

  /// All header fields by name; nil if there are none. Well-known names show their usual capitalisation.
  var headerDictionary: [String: String]? {
    get { headers.isEmpty ? nil : headers.spelledDictionary(separator: ",") }
    set {
      headers = HeaderFields()
      // In sorted order, as a dictionary has none: equal dictionaries are sent in the same order.
      for (name, value) in (newValue ?? [:]).sorted(by: { $0.key < $1.key }) { addHeader(name, value) }
    }
  }

  /// Replaces a header field; nil removes it. A value with CR, LF or NUL changes nothing.
  mutating func setHeader(_ name: String, _ value: String?) {
    guard let value else { return headers.remove(name) }
    if let value = FieldSyntaxRules.unfolded(value) { headers.set(name, value) }
  }

  /// Appends a value to a header field after a comma, keeping the name's spelling, or adds the field.
  mutating func addHeader(_ name: String, _ value: String) {
    guard let value = FieldSyntaxRules.unfolded(value) else { return }
    guard let present = headers.joined(name) else { return headers.add(name, value) }
    let spelling = headers.entries.first { $0.name.equalsIgnoringCase(name) }?.name ?? name
    headers.set(spelling, present + "," + value)
  }

  /// The body as bytes; nil if it is a stream or there is none. Assigning replaces a body of any kind.
  var bodyData: Data? {
    get { if case .data(let data) = body { data } else { nil } }
    set {
      body = newValue.map { .data($0) } ?? .none
      shownBody = nil
    }
  }

  /// The body as a stream; nil if there is none or it is bytes, except in requests shown to a `URLProtocol` or interceptor. Assigning replaces a body
  /// of any kind.
  var bodyStream: InputStream? {
    get {
      switch body {
      case .stream(let stream): stream
      case .data, .file, .parts: shownBody?.stream
      case .none, .suppliedStream, .pieces: nil
      }
    }
    set {
      body = newValue.map { .stream($0) } ?? .none
      shownBody = nil
    }
  }
}

extension LoadRequest.Fields {
  /// Whether two requests have equal fields. Header fields compare by meaning: order and letter case of names don't count. `URLProtocol` properties
  /// aren't compared.
  func asksTheSame(as other: LoadRequest.Fields) -> Bool {
    url == other.url && method == other.method && timeoutInterval == other.timeoutInterval && switches == other.switches
      && numbers == other.numbers && texts == other.texts && urls == other.urls
      && (headers == other.headers || headers.foldedDictionary == other.headers.foldedDictionary) && body.isSame(as: other.body)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(method)
    hasher.combine(timeoutInterval)
    hasher.combine(switches)
    hasher.combine(numbers)
    hasher.combine(urls)
    hasher.combine(headers.foldedDictionary)
    switch body {
    case .none: break
    case .data(let data): hasher.combine(data)
    case .stream(let stream): hasher.combine(ObjectIdentifier(stream))
    case .file(let url, _, _): hasher.combine(url)
    case .suppliedStream: hasher.combine(1)
    case .parts(let parts, _, _): hasher.combine(parts)
    case .pieces(let pieces): hasher.combine(ObjectIdentifier(pieces))
    }
  }

  private var switches: [Bool] {
    RequestTable.flags.map { self[keyPath: $0.path] } + RequestTable.choices.map { self[keyPath: $0.entry.path] }
  }

  private var numbers: [UInt] { RequestTable.numbers.map { self[keyPath: $0.path] } }
  private var texts: [String?] { RequestTable.texts.map { self[keyPath: $0.path] } }
  private var urls: [URL?] { RequestTable.urls.map { self[keyPath: $0.path] } }
}

extension LoadRequest.Body {
  /// Whether two bodies are equal: bytes compare by content, streams by identity.
  func isSame(as other: LoadRequest.Body) -> Bool {
    switch (self, other) {
    case (.none, .none): true
    case (.data(let left), .data(let right)): left == right
    case (.stream(let left), .stream(let right)): left === right
    case (.file(let left, let first, let leftEnd), .file(let right, let second, let rightEnd)):
      left == right && first == second && leftEnd == rightEnd
    case (.suppliedStream(let first, let leftEnd), .suppliedStream(let second, let rightEnd)): first == second && leftEnd == rightEnd
    case (.parts(let left, let first, let leftEnd), .parts(let right, let second, let rightEnd)):
      left == right && first == second && leftEnd == rightEnd
    case (.pieces(let left), .pieces(let right)): left === right
    case (.none, _), (.data, _), (.stream, _), (.file, _), (.suppliedStream, _), (.parts, _), (.pieces, _): false
    }
  }
}

extension HeaderFields {
  /// Values by lower-cased name, repeated fields joined by commas: equal for lists that mean the same.
  fileprivate var foldedDictionary: [String: String] {
    var result: [String: String] = [:]
    for entry in entries {
      result[entry.name.lowercased(), default: ""] += "," + entry.value
    }
    return result
  }
}
