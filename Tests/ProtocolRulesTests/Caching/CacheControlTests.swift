import LoadingModel
import ProtocolRules
import Testing

struct CacheControlTests {
  @Test func directivesAreReadWithoutCase() {
    let control = CacheControl(
      HeaderFields([("cache-control", "Public , MUST-revalidate"), ("Cache-Control", "No-Cache,private, Must-Understand")]))
    #expect(control.isPublic)
    #expect(control.mustRevalidate)
    #expect(control.mustUnderstand)
    #expect(control.noCache)
    #expect(control.isPrivate)
    #expect(!control.noStore)
    #expect(control.maxAge == nil)
    #expect(control.isPresent)
    #expect(!CacheControl(HeaderFields([("Pragma", "no-cache")])).isPresent)
  }

  @Test(
    arguments: [
      ("max-age=60", 60), ("max-age=\"60\"", 60), ("max-age=060", 60), ("max-age=60, max-age=60", 60), ("max-age=60, max-age=61", 0),
      ("max-age", 0), ("max-age=", 0), ("max-age=x", 0), ("max-age=-5", 0), ("max-age=60.0", 0), ("max-age='60'", 0), ("max-age=60a", 0),
      ("max-age =60", 0), ("max-age\t=60", 0), ("max-age= 60", 0), ("max-age=6 0", 0), ("max-age=60 ", 60),
      ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", 1 << 31), ("max-age=99999999999999999999", 1 << 31),
      ("MaX-aGe=60", 60), ("foo=\"max-age=5\", max-age=60", 60), ("max-age=60, foo=\"a, max-age=5\"", 60), ("foo=\"\\\", max-age=5\"", nil),
      ("s-maxage=60", nil), ("xmax-age=60", nil), ("max-agex=60", nil), ("", nil), (", ,", nil), (",max-age=60,,", 60),
      ("foo=bar; max-age=5", nil),
    ] as [(String, Int64?)])
  func maxAge(text: String, expected: Int64?) {
    #expect(CacheControl(HeaderFields([("Cache-Control", text)])).maxAge == expected)
  }

  @Test(
    arguments: [
      ("no-cache", true, []), ("no-cache=\"A, b\"", false, ["A", "b"]), ("no-cache=a", false, ["a"]), ("no-cache=\"\"", true, []),
      ("no-cache=\"a b\"", true, []), ("no-cache=\"a\", no-cache", true, ["a"]), ("no-cache=", true, []),
    ] as [(String, Bool, [String])])
  func noCacheMayNameFields(text: String, unqualified: Bool, fields: [String]) {
    let control = CacheControl(HeaderFields([("Cache-Control", text)]))
    #expect(control.noCache == unqualified)
    #expect(control.noCacheFields == fields)
  }

  @Test func requestDirectives() {
    let wishes = CacheControl(HeaderFields([("Cache-Control", "max-stale, min-fresh=10, only-if-cached, stale-if-error=5")]))
    #expect(wishes.maxStale == .any)
    #expect(wishes.minFresh == 10)
    #expect(wishes.onlyIfCached)
    #expect(wishes.staleIfError == 5)
    #expect(CacheControl(HeaderFields([("Cache-Control", "max-stale=7, min-fresh=x")])).maxStale == .seconds(7))
    #expect(CacheControl(HeaderFields([("Cache-Control", "max-stale=x")])).maxStale == .seconds(0))
    #expect(CacheControl(HeaderFields([("Cache-Control", "min-fresh=x")])).minFresh == 1 << 31)
    #expect(CacheControl(HeaderFields([("Cache-Control", "stale-while-revalidate=30")])).staleWhileRevalidate == 30)
  }
}
