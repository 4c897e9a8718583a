import LoadingModel

/// The directives of `Cache-Control` that a private cache obeys (RFC 9111, 5.2; RFC 5861; RFC 8246), of a request or of a response.
package struct CacheControl: Sendable, Hashable {
  /// How stale a response the client takes (RFC 9111, 5.2.1.2).
  package enum MaxStale: Sendable, Hashable {
    case none
    case any
    case seconds(Int64)
  }

  /// Whether the message has any `Cache-Control` at all; without it a request's `Pragma` counts.
  package private(set) var isPresent = false
  package private(set) var noStore = false
  /// `no-cache` without a list of fields.
  package private(set) var noCache = false
  /// The fields of `no-cache="…"`: left out of a response that is used without validation (RFC 9111, 5.2.2.4).
  package private(set) var noCacheFields: [String] = []
  package private(set) var mustRevalidate = false
  package private(set) var mustUnderstand = false
  package private(set) var isPublic = false
  package private(set) var isPrivate = false
  package private(set) var onlyIfCached = false
  /// Seconds. An unreadable value, or two that differ, count as 0, which means stale (RFC 9111, 4.2.1); a huge value is capped at 2^31 (1.2.2).
  package private(set) var maxAge: Int64?
  package private(set) var maxStale = MaxStale.none
  /// `min-fresh` of a request: seconds of freshness that a stored response must have left.
  package private(set) var minFresh: Int64?
  /// Seconds after the end of freshness in which a stored response may be used while it is revalidated; an unreadable value counts as 0.
  package private(set) var staleWhileRevalidate: Int64?
  package private(set) var staleIfError: Int64?

  /// Reads every `Cache-Control` field of a request or response as one list.
  package init(_ headers: HeaderFields) {
    for (name, value) in headers.entries where name.isField("cache-control") {
      isPresent = true
      // Most responses that aren't to be stored have `no-store` as their only directive: a short cut for them.
      if value.isField("no-store") {
        noStore = true
        continue
      }
      for directive in FieldCursor.elements(of: value[...]) { read(directive) }
    }
  }

  private mutating func read(_ directive: Substring) {
    var cursor = FieldCursor(directive)
    let given = cursor.take { $0 != UInt8(ascii: "=") }
    let argument = cursor.take(UInt8(ascii: "=")) ? cursor.rest : nil
    let name = String(given.trimmingSpaces())
    // Unknown directives are ignored (RFC 9111, 5.2.3). `s-maxage` and `proxy-revalidate` are for shared caches; `immutable` asks not to
    // revalidate a fresh response, which this cache never does.
    switch name.utf8.count {
    case 6 where name.isField("public"): isPublic = true
    case 7 where name.isField("private"): isPrivate = true
    case 7 where name.isField("max-age"):
      // "max-age =5": the name with a space isn't a token, and invalid freshness information is best taken as stale (RFC 9111, 4.2.1).
      let seconds = given.utf8.last == 0x20 || given.utf8.last == 0x09 ? 0 : CacheControl.seconds(argument) ?? 0
      maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
    case 8 where name.isField("no-store"): noStore = true
    case 8 where name.isField("no-cache"): readNoCache(argument)
    case 9 where name.isField("max-stale"): maxStale = argument.map { .seconds(CacheControl.seconds($0) ?? 0) } ?? .any
    // An unreadable `min-fresh` counts as the longest time: no stored response is fresh for so long.
    case 9 where name.isField("min-fresh"): minFresh = CacheControl.seconds(argument) ?? CacheControl.longest
    case 14 where name.isField("only-if-cached"): onlyIfCached = true
    case 14 where name.isField("stale-if-error"): staleIfError = CacheControl.seconds(argument) ?? 0
    case 15 where name.isField("must-revalidate"): mustRevalidate = true
    case 15 where name.isField("must-understand"): mustUnderstand = true
    case 22 where name.isField("stale-while-revalidate"): staleWhileRevalidate = CacheControl.seconds(argument) ?? 0
    default: break
    }
  }

  private mutating func readNoCache(_ argument: Substring?) {
    let fields = argument.map { FieldCursor.elements(of: CacheControl.unquoted($0)).map { String($0.trimmingSpaces()) } } ?? []
    let named = fields.filter { FieldSyntaxRules.isToken($0) }
    // A list without a name, or with one that isn't a token, counts as `no-cache` without a list: the stricter reading.
    if named.isEmpty || named.count < fields.count { noCache = true } else { noCacheFields += named }
  }

  /// RFC 9111, 1.2.2: "If a cache receives a delta-seconds value greater than the greatest integer it can represent … the cache MUST
  /// consider the value to be 2147483648 (2^31) or the greatest positive integer it can conveniently represent."
  private static let longest: Int64 = 1 << 31

  /// The seconds of an argument in its token or quoted-string form: a recipient accepts both (RFC 9111, 5.2). Nil if it isn't a number of
  /// seconds.
  private static func seconds(_ argument: Substring?) -> Int64? {
    guard let argument else { return nil }
    return seconds(digits: unquoted(argument))
  }

  /// Parses delta-seconds (RFC 9111, 1.2.2); nil if `digits` aren't all digits.
  static func seconds(digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return min(FieldSyntaxRules.decimal(digits.utf8) ?? .max, longest)
  }

  private static func unquoted(_ argument: Substring) -> Substring {
    // Spaces before the value violate the grammar and are kept, so that it isn't read as a number; those after it belong to the list and are
    // dropped.
    var text = argument
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    if text.utf8.count >= 2, text.utf8.first == 0x22, text.utf8.last == 0x22 { return text.dropFirst().dropLast() }
    return text
  }
}
