import Foundation
import LoadingModel
import ProtocolRules

/// The value of `expectedContentLength` if the length isn't known: -1.
public let NSURLResponseUnknownLength: Int = -1

/// A response's URL, type and length, known before its body arrives, for any scheme. Immutable; safe to use from any thread.
///
/// HTTP responses are `HTTPURLResponse`s.
open class URLResponse: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // @unchecked: open, so the compiler can't know; the one stored property is an immutable value.
  package final let load: LoadResponse
  /// Whether the response has a URL: false only if it was made by `init()`.
  private final let hasURL: Bool

  /// Whether responses can be encoded in secure archives: true.
  open class var supportsSecureCoding: Bool {
    ArchiveNames.register()
    return true
  }

  /// A response without URL, type and length. For tests and for subclasses that override the properties.
  public override init() {
    load = LoadResponse(url: URL(filePath: "/"), kind: .plain(mimeType: nil, textEncoding: nil), expectedLength: -1)
    hasURL = false
    super.init()
  }

  /// A response with the given URL, type, length and character set.
  ///
  /// - Parameters:
  ///   - URL: The URL of the response.
  ///   - MIMEType: The body's type, kept as given.
  ///   - length: The body's length in bytes; -1 if unknown.
  ///   - name: The body's character set, as an IANA name.
  public init(url URL: URL, mimeType MIMEType: String?, expectedContentLength length: Int, textEncodingName name: String?) {
    load = LoadResponse(
      url: URL, kind: .plain(mimeType: MIMEType, textEncoding: name?.lowercased()), expectedLength: Int64(length))
    hasURL = true
    super.init()
  }

  package init(load: LoadResponse, hasURL: Bool = true) {
    self.load = load
    self.hasURL = hasURL
    super.init()
  }

  /// Decodes a response from a keyed archive; nil if the archive holds none under a response's keys.
  public required init?(coder: NSCoder) {
    guard let stored = LoadResponse(from: coder) else { return nil }
    load = stored
    hasURL = true
    super.init()
  }

  /// Encodes the response. A coder without keys gets nothing, and a response without a URL isn't encoded.
  open func encode(with coder: NSCoder) { if hasURL { load.encode(with: coder, suggestedFilename: suggestedFilename) } }

  /// The object itself: it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether `object` is a response with the same URL, type, length and character set.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLResponse else { return false }
    return self === other
      || type(of: self) == type(of: other) && url == other.url && mimeType == other.mimeType
        && expectedContentLength == other.expectedContentLength && textEncodingName == other.textEncodingName
  }

  /// Hashes the URL and the length, which `isEqual` compares.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(url)
    hasher.combine(expectedContentLength)
    return hasher.finalize()
  }

  /// Class, address, URL and type as text.
  open override var description: String {
    "\(identity) { URL: \(url?.absoluteString ?? "(null)"), MIME type: \(mimeType ?? "(null)") }"
  }

  final var identity: String {
    "<\(type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))>"
  }

  /// The URL of the response: after redirects, the last one. nil only if the response was made by `init()`.
  open var url: URL? { hasURL ? load.url : nil }

  /// The body's MIME type; nil if unknown. In lower case and without parameters in responses of the loader, as given in an app's own.
  open var mimeType: String? {
    if case .plain(let mimeType, _) = load.kind { mimeType } else { nil }
  }

  /// The body's length in bytes as announced; -1 if unknown, also if the loader decodes a content coding.
  open var expectedContentLength: Int64 { load.expectedLength }

  /// The body's character set in lower case, as an IANA name; nil if not named.
  open var textEncodingName: String? {
    if case .plain(_, let textEncoding) = load.kind { textEncoding } else { nil }
  }

  /// A name under which to keep the body: one path component, safe to append to a directory. Never nil.
  ///
  /// As Apple documents: the name in Content-Disposition, else the URL's last path component, else its host, else "unknown"; an
  /// extension for the MIME type is added where there is none.
  open var suggestedFilename: String? {
    FilenameRules.suggestedName(disposition: nil, url: url, mimeType: mimeType.flatMap(MIMEType.lenientEssence))
  }
}

extension URLResponse {
  /// Makes the public object for a response of the engine.
  package static func make(_ response: LoadResponse) -> URLResponse {
    switch response.kind {
    case .http(let head): return HTTPURLResponse(load: response, head: head)
    case .plain: return URLResponse(load: response)
    case .native(let object):
      // The engine gets native responses from this layer alone, which makes them of a `URLResponse`; for anything else only the URL is used.
      return object as? URLResponse ?? nameless(response)
    // A load without a response: interceptors, whose responses aren't optional, get an object with the URL alone.
    case .absent: return nameless(response)
    }
  }

  /// A response with a URL and length, and without a type.
  private static func nameless(_ response: LoadResponse) -> URLResponse {
    URLResponse(
      load: LoadResponse(url: response.url, kind: .plain(mimeType: nil, textEncoding: nil), expectedLength: response.expectedLength))
  }
}
