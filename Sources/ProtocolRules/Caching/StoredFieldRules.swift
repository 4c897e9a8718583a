import Foundation
import LoadingModel

/// Which header fields of a response are stored, updated and served (RFC 9111, 3.1, 3.2 and 4).
package enum StoredFieldRules {
  /// The head as it is stored: without the fields that belong to one connection, and with a date (RFC 9110, 6.6.1: "MUST record the time it was
  /// received and append a corresponding Date header field").
  package static func storable(_ head: ResponseHead, receivedAt: Date) -> ResponseHead {
    var result = head
    let nominated = connectionOptions(head)
    result.headers = HeaderFields(head.headers.entries.filter { !isOfOneConnection($0.name, nominated) })
    if !result.headers.contains("Date") { result.headers.add("Date", HTTPDate.format(receivedAt)) }
    return result
  }

  /// The stored head after a 304, or a HEAD, that confirmed it (RFC 9111, 3.2): each field of the answer replaces those of its name.
  package static func updated(_ stored: ResponseHead, by answer: ResponseHead, receivedAt: Date) -> ResponseHead {
    let news = storable(answer, receivedAt: receivedAt).headers
    var fields = stored.headers
    // The stored `Age` is removed, because it belongs to the earlier response; the answer may bring a new one.
    fields.remove("Age")
    var entries = fields.entries.filter { entry in describesBody(entry.name) || !news.contains(entry.name) }
    entries += news.entries.filter { !describesBody($0.name) }
    var result = stored
    result.headers = HeaderFields(entries)
    return result
  }

  /// The head that the app gets for a stored response that is used without validation: with its age (RFC 9111, 4), and without the fields that
  /// `no-cache="…"` reserves for validated ones (RFC 9111, 5.2.2.4).
  package static func served(_ stored: StoredFacts, now: Date) -> ResponseHead {
    var head = stored.head
    // RFC 9111, 1.2.2: larger ages count as 2^31.
    head.headers.set("Age", String(Int64(min(max(0, FreshnessRules.age(stored, now: now)), 2_147_483_648).rounded(.down))))
    let reserved = Set(stored.reading.control.noCacheFields.map { $0.lowercased() })
    guard !reserved.isEmpty else { return head }
    head.headers = HeaderFields(head.headers.entries.filter { !reserved.contains($0.name.lowercased()) })
    return head
  }

  /// Whether the field keeps its stored value in an update. RFC 9111, 3.2 excepts Content-Length, and lets caches that keep a body in a certain
  /// form except the fields that describe that form.
  private static func describesBody(_ name: String) -> Bool {
    switch name.utf8.count {
    case 13: name.isField("content-range")
    case 14: name.isField("content-length")
    case 16: name.isField("content-encoding")
    default: false
    }
  }

  /// Whether the field belongs to one connection and isn't stored (RFC 9111, 3.1; RFC 9110, 7.6.1): a hop-by-hop field, or one that `Connection`
  /// names.
  ///
  /// - Parameter nominated: The names in `Connection`, in lower case. A set, because a response may have tens of thousands of them.
  private static func isOfOneConnection(_ name: String, _ nominated: Set<String>) -> Bool {
    switch name.utf8.count {
    case 2 where name.isField("te"), 7 where name.isField("upgrade"), 10 where name.isField("connection") || name.isField("keep-alive"),
      16 where name.isField("proxy-connection"), 17 where name.isField("transfer-encoding"), 18 where name.isField("proxy-authenticate"),
      19 where name.isField("proxy-authorization"), 25 where name.isField("proxy-authentication-info"):
      true
    default: !nominated.isEmpty && nominated.contains(name.lowercased())
    }
  }

  /// Without those that are options alone, and no fields of their own (`isOfOneConnection` knows Keep-Alive): mostly none are left to compare with.
  private static func connectionOptions(_ head: ResponseHead) -> Set<String> {
    var result = Set<String>()
    for option in head.headers.all("Connection").lazy.flatMap({ FieldCursor.tokens(of: $0) }) {
      if !option.isField("keep-alive"), !option.isField("close") { result.insert(option.lowercased()) }
    }
    return result
  }
}
