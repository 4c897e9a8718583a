import Foundation
@testable import LoadingModel

@testable import ProtocolRules

extension FuzzTarget {
  private static let origin = Origin(scheme: "https", host: "example.org", port: 443)
  private static let url = URL(string: "https://user@example.org:8443/a/b?c#d")!  // a constant

  static let fields = [
    FuzzTarget(
      "set-cookie",
      seeds: [
        "a=b; Path=/; Domain=.example.org; Max-Age=60; Secure; HttpOnly; SameSite=Lax",
        "__Host-a=b; Path=/; Secure, c=d; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "=; ;;, ,a",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let text = input.text()
      guard let url = CookieURL(FuzzTarget.url) else { return }
      let now = Date(timeIntervalSince1970: 1_700_000_000)
      for part in SetCookieField.split(text) {
        guard let cookie = SetCookieField.parse(part, from: url, now: now) else { continue }
        var jar = CookieJar()
        _ = jar.set(cookie, now: now)
      }
    },
    FuzzTarget("cookie-date", seeds: ["Wed, 09 Jun 2027 10:18:14 GMT", "09-Jun-27 1:2:3", "Jun 09 0099 24:00:61"]) { bytes in
      var input = FuzzInput(bytes)
      _ = CookieDate.parse(input.text())
    },
    FuzzTarget("http-date", seeds: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]) {
      bytes in
      var input = FuzzInput(bytes)
      let now = Date(timeIntervalSince1970: 1_700_000_000)
      guard let date = HTTPDate.parse(input.text(), now: now) else { return }
      expect(HTTPDate.parse(HTTPDate.format(date), now: now) == date, "\(date.timeIntervalSince1970) isn't what it was")
    },
    FuzzTarget(
      "location", seeds: ["/a/../b?c#d", "//host:81/", "http:\\\\a\\b", "HTTPS://[::1]:0/%zz|", "?q", "#f", "http:/x", "%2e%2e/"]
    ) { bytes in
      var input = FuzzInput(bytes)
      let text = input.text()
      guard let resolved = LocationRules.resolve(text, at: FuzzTarget.url) else { return }
      _ = Target(resolved)
      _ = LocationRules.withoutDotSegments(resolved)
      let head = ResponseHead(status: 302, headers: HeaderFields([("Location", text)]))
      _ = RedirectDecision.decide(request: LoadRequest(url: FuzzTarget.url), head: head, url: FuzzTarget.url, hops: 0)
    },
    FuzzTarget("alt-svc", seeds: ["h3=\":443\"; ma=3600; persist=1, h2=\"alt.example:8443\"", "clear", "h3-29=\"[::1]:1\",%zz=\":1\""]) {
      bytes in
      var input = FuzzInput(bytes)
      _ = AlternativeServiceField(input.text())
    },
    FuzzTarget("hsts", seeds: ["max-age=31536000; includeSubDomains; preload", "max-age=\"0\";x=\"\\\"\"", ";;max-age"]) { bytes in
      var input = FuzzInput(bytes)
      _ = StrictTransportSecurity(input.text())
    },
    FuzzTarget("content-range", seeds: ["bytes 0-4/10", "bytes */10", "bytes 0-0/*", "bytes 9223372036854775807-9223372036854775807/*"]) {
      bytes in
      var input = FuzzInput(bytes)
      let length = Int64(input.number(below: 20))
      let text = input.text()
      _ = ContentRange(text, bodyLength: length)
      _ = ByteRangeRules.decide(text, length: length)
      _ = ResumeValidator(tag: text)
      _ = ResumeValidator(date: text)
      _ = ResumeValidator(ifRange: text)
    },
    FuzzTarget("mime", seeds: ["text/html;charset=\"utf-8\"; a=\"\\\"\"", "*/*", "TEXT/PLAIN;a;b=;c=d", "a/b,c/d"]) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 3)
      for text in texts {
        guard let type = MIMEType(text) else { continue }
        expect(MIMEType(type.serialized)?.serialized == type.serialized, "\(type.serialized) isn't read as it is written")
      }
      _ = MIMEType.named(by: HeaderFields(texts.map { ("Content-Type", $0) }))
      _ = MIMEType.lenientEssence(texts.first ?? "")
    },
    FuzzTarget("sniffing", seeds: ["<!DOCTYPE html>", "%PDF-1.4", "GIF89a", "\u{FEFF}text", "   <?xml"]) { bytes in
      expect(!MIMESniffingRules.mimeType(prefix: bytes).isEmpty, "no type")
    },
    FuzzTarget("upload-fields", seeds: ["104\0?1\0max-size=10, max-append-size=5\0/up/1", "?0\0 12 \0\0"]) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 4) + ["", "", "", ""]
      let head = ResponseHead(
        status: 104,
        headers: HeaderFields([
          ("Upload-Draft-Interop-Version", "6"), ("Upload-Offset", texts[0]), ("Upload-Complete", texts[1]), ("Upload-Limit", texts[2]),
          ("Location", texts[3]),
        ]))
      _ = UploadResource(head, url: FuzzTarget.url)
      _ = UploadStanding(head, length: 20)
    },
    FuzzTarget(
      "problem", seeds: ["{\"type\":\"https://iana.org/assignments/http-problem-types#mismatching-upload-offset\",\"expected-offset\":1}"]
    ) {
      bytes in
      let head = ResponseHead(status: 409, headers: HeaderFields([("Content-Type", "application/problem+json")]))
      _ = UploadProblem(head, description: Data(bytes))
    },
  ]

  static let caching = [
    FuzzTarget(
      "cache-fields",
      seeds: [
        "max-age=60, stale-while-revalidate=30\0Wed, 09 Jun 2027 10:18:14 GMT\010\0accept, *\0\"a\"",
        "no-cache=\"set-cookie\", private, max-age=99999999999999999999\0-1\0-5\0\0W/\"\"",
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 5) + ["", "", "", "", ""]
      let now = Date(timeIntervalSince1970: 1_700_000_000)
      let headers = HeaderFields([
        ("Cache-Control", texts[0]), ("Expires", texts[1]), ("Age", texts[2]), ("Vary", texts[3]), ("ETag", texts[4]), ("Date", texts[1]),
        ("Last-Modified", texts[1]),
      ])
      let head = ResponseHead(status: 200, headers: headers)
      _ = CacheControl(headers)
      _ = VaryRules.names(head)
      let stored = StoredFacts(head: head, requestFields: HeaderFields(), requestTime: now, responseTime: now, bodyLength: 10)
      _ = FreshnessRules.freshness(stored, now: now.addingTimeInterval(30))
      _ = FreshnessRules.age(stored, now: now)
      var request = LoadRequest(url: FuzzTarget.url)
      request.mutate { $0.headers = HeaderFields([("Cache-Control", texts[0]), ("Range", texts[2])]) }
      _ = CacheRules.decide(now: now, request: request, policy: .useProtocolCachePolicy, stored: stored)
      _ = StoredFieldRules.served(stored, now: now)
    }
  ]
}
