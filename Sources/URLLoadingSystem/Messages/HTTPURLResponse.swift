import Foundation
import LoadingModel
import ProtocolRules

/// Status and header fields of an HTTP response. Immutable; safe to use from any thread.
///
/// It stores the head as received, and computes the other properties when they are asked for.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  // @unchecked: open, so the compiler can't know; immutable but for `table`, which its lock protects.
  package final let head: ResponseHead
  private final let table = Mutex<HeaderTable?>(nil)

  /// A response without URL and header fields, with the status 0. For tests and for subclasses that override the properties.
  public override init() {
    head = ResponseHead(status: 0, headers: HeaderFields())
    super.init(load: LoadResponse(url: URL(filePath: "/"), kind: .http(head), expectedLength: -1), hasURL: false)
  }

  /// A response with the given type and length, from which its header fields are made, and the status 0. For tests; a loaded response has a status.
  ///
  /// - Parameters:
  ///   - URL: The URL of the response.
  ///   - MIMEType: The body's type.
  ///   - length: The body's length in bytes; -1 if unknown.
  ///   - name: The body's character set, as an IANA name; ignored without a MIME type.
  public override init(url URL: URL, mimeType MIMEType: String?, expectedContentLength length: Int, textEncodingName name: String?) {
    var fields = HeaderFields()
    if let type = MIMEType { fields.set("Content-Type", name.map { "\(type); charset=\($0)" } ?? type) }
    if length >= 0 { fields.set("Content-Length", String(length)) }
    head = ResponseHead(status: 0, headers: fields)
    super.init(load: LoadResponse(url: URL, kind: .http(head), expectedLength: Int64(length)))
  }

  /// A response with the given status and header fields. Never nil: any status is accepted, as on Apple's systems.
  ///
  /// - Parameters:
  ///   - url: The URL of the response.
  ///   - statusCode: The status, usually 100…599.
  ///   - HTTPVersion: "HTTP/1.1" and the like; nil means HTTP/1.1.
  ///   - headerFields: Header fields by name. Content-Length, Content-Type and Content-Disposition give the other properties their values.
  public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {
    let fields = HeaderFields((headerFields ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    head = ResponseHead(status: statusCode, version: HTTPVersion ?? "HTTP/1.1", headers: fields)
    super.init(load: LoadResponse(url: url, kind: .http(head), expectedLength: fields.contentLength ?? -1))
  }

  package init(load: LoadResponse, head: ResponseHead) {
    self.head = head
    super.init(load: load)
  }

  /// Decodes a response from a keyed archive; nil if the archive holds none under a response's keys.
  public required init?(coder: NSCoder) {
    guard let stored = LoadResponse(from: coder), let head = stored.httpHead else { return nil }
    self.head = head
    super.init(load: stored)
  }

  /// Whether `object` is a response with the same URL, length, status and header fields.
  open override func isEqual(_ object: Any?) -> Bool {
    guard super.isEqual(object), let other = object as? HTTPURLResponse else { return false }
    return self === other
      || statusCode == other.statusCode
        && head.headers.spelledDictionary(separator: ", ") == other.head.headers.spelledDictionary(separator: ", ")
  }

  /// Hashes URL and status, which are a part of what `isEqual` compares.
  open override var hash: Int { super.hash ^ statusCode }

  /// Class, address, URL, status and header fields as text.
  open override var description: String {
    let fields = head.headers.spelledDictionary(separator: ", ").sorted { $0.key < $1.key }
    let lines = fields.map { "    \"\($0.key)\" = \"\($0.value)\";\n" }.joined()
    return "\(identity) { URL: \(url?.absoluteString ?? "(null)") } { Status Code: \(statusCode), Headers {\n\(lines)} }"
  }

  /// The response's status, such as 200.
  open var statusCode: Int { head.status }

  /// All header fields; keys and values are strings.
  ///
  /// Well-known names have the capitalisation they have on Apple's systems ("Content-Type", "Etag"), others the one received.
  /// Repeated fields are joined with ", ". To look up one field whatever its letter case, use `value(forHTTPHeaderField:)`.
  open var allHeaderFields: [AnyHashable: Any] {
    if let known = table.withLock({ $0 }) { return known.values }
    let made = HeaderTable(head.headers)
    table.withLock { $0 = made }
    return made.values
  }

  /// The value of a header field, or nil. Letter case of the name doesn't count; repeated fields are joined with ", ".
  open func value(forHTTPHeaderField field: String) -> String? { head.headers.joined(field) }

  /// The media type of Content-Type, in lower case and without parameters.
  ///
  /// Without Content-Type, a loaded response has the type that is recognised from its body's first bytes, as on Apple's systems:
  /// "application/octet-stream" if none is. Of several values the last valid one counts. nil if there is no body, or only a part of one (206).
  open override var mimeType: String? { MIMEType.lenientEssence(head.headers) ?? load.sniffedType }

  /// The charset parameter of Content-Type in lower case; nil without one.
  open override var textEncodingName: String? { MIMEType.named(by: head.headers)?.charset }

  /// A name under which to keep the body: one path component, safe to append to a directory. Never nil.
  ///
  /// As Apple documents: the name in Content-Disposition, else the URL's last path component, else its host, else "unknown"; an
  /// extension for the MIME type is added where there is none.
  open override var suggestedFilename: String? {
    FilenameRules.suggestedName(disposition: head.headers.first("Content-Disposition"), url: url, mimeType: mimeType)
  }

  /// A short English text for a status, such as "not found" for 404.
  open class func localizedString(forStatusCode statusCode: Int) -> String { StatusTexts.text(for: statusCode) }
}

/// The header fields as a dictionary, made when `allHeaderFields` is first read. Immutable.
private final class HeaderTable: @unchecked Sendable {
  // @unchecked: the values are strings behind `Any`.
  let values: [AnyHashable: Any]
  init(_ headers: HeaderFields) { values = headers.spelledDictionary(separator: ", ") }
}

extension HeaderFields {
  /// The length on which all Content-Length values agree; nil if there is none, if they differ, or if it isn't a number (RFC 9110, 8.6).
  fileprivate var contentLength: Int64? {
    guard let value = joined("Content-Length") else { return nil }
    let lengths = Set(value.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces() })
    guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits)
  }
}
