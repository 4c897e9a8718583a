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
  /// Seconds. RFC 9111, 4.2.1: an unreadable or repeated, differing value means stale, so it counts as 0; 1.2.2: a huge one is capped.
  package private(set) var maxAge: Int64?
  package private(set) var maxStale = MaxStale.none
  /// Seconds of freshness that must be left.
  package private(set) var minFresh: Int64?
  /// Seconds after the end of freshness; an unreadable value permits nothing.
  package private(set) var staleWhileRevalidate: Int64?
  package private(set) var staleIfError: Int64?

  /// Reads every `Cache-Control` field of a request or response as one list.
  package init(_ headers: HeaderFields) {
    for (name, value) in headers.entries where name.isField("cache-control") {
      isPresent = true
      // What most responses say that aren't to be stored, and they say nothing else.
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
    // Unknown directives are ignored (5.2.3). `s-maxage` and `proxy-revalidate` are for shared caches; `immutable` asks for what this
    // cache does anyway, not to revalidate what is fresh.
    switch name.utf8.count {
    case 6 where name.isField("public"): isPublic = true
    case 7 where name.isField("private"): isPrivate = true
    case 7 where name.isField("max-age"):
      // "max-age =5": the name is no token, and invalid freshness information is best taken as stale (4.2.1).
      let seconds = given.utf8.last == 0x20 || given.utf8.last == 0x09 ? 0 : CacheControl.seconds(argument) ?? 0
      maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
    case 8 where name.isField("no-store"): noStore = true
    case 8 where name.isField("no-cache"): readNoCache(argument)
    case 9 where name.isField("max-stale"): maxStale = argument.map { .seconds(CacheControl.seconds($0) ?? 0) } ?? .any
    // What can't be read asks for more than any response has.
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
    // A list that names nothing readable: the stricter reading.
    if named.isEmpty || named.count < fields.count { noCache = true } else { noCacheFields += named }
  }

  /// RFC 9111, 1.2.2: "If a cache receives a delta-seconds value greater than the greatest integer it can represent … the cache MUST
  /// consider the value to be 2147483648 (2^31) or the greatest positive integer it can conveniently represent."
  private static let longest: Int64 = 1 << 31

  /// Nil if it isn't a number of seconds. 5.2: a recipient accepts both the token and the quoted-string form of an argument.
  private static func seconds(_ argument: Substring?) -> Int64? {
    guard let argument else { return nil }
    return seconds(digits: unquoted(argument))
  }

  /// Delta-seconds (1.2.2); nil if `digits` aren't all digits.
  static func seconds(digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return min(FieldSyntaxRules.decimal(digits.utf8) ?? .max, longest)
  }

  private static func unquoted(_ argument: Substring) -> Substring {
    // Spaces before the value aren't in the grammar and are kept, so that no number is read out of them; those after it are the list's.
    var text = argument
    while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
    if text.utf8.count >= 2, text.utf8.first == 0x22, text.utf8.last == 0x22 { return text.dropFirst().dropLast() }
    return text
  }
}
