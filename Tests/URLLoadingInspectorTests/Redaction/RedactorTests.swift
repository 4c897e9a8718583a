#if Inspector
  import Foundation
  import NIOCore
  import Testing

  @testable import URLLoadingInspector

  @Suite struct RedactorTests {
    private let redactor = Redactor()

    @Test(arguments: [
      ("Authorization", "Basic dXNlcg==", "Basic REDACTED"), ("authorization", "x", "REDACTED"),
      ("Proxy-Authorization", "Digest username=\"a\", response=\"b\"", "Digest REDACTED"),
      ("Cookie", "a=1; b=2", "a=REDACTED; b=REDACTED"), ("Set-Cookie", "sid=1; Path=/; HttpOnly", "sid=REDACTED; Path=/; HttpOnly"),
      ("Cookie", "secret", "REDACTED"), ("Cookie", "a=1; secret; =b", "a=REDACTED; REDACTED; =REDACTED"),
      ("Set-Cookie", "secret", "REDACTED"), ("X-Api-Key", "k", "REDACTED"), ("X-CSRF-Token", "k", "REDACTED"),
      ("WWW-Authenticate", "Basic realm=\"a\"", "Basic realm=\"a\""), ("WWW-Authenticate", "Negotiate abc=", "Negotiate REDACTED"),
      ("Location", "https://u:p@h/?token=x#y", "https://REDACTED@h/?token=REDACTED#y"), ("Content-Type", "text/plain", "text/plain"),
      ("Referer", "https://h/?a=1", "https://h/?a=1"),
      ("X-Links", "<http://h1/>, <http://u:leak@h2/>", "<http://h1/>, <http://REDACTED@h2/>"),
      ("X-Next", "http%3A%2F%2Fa%3Aleak%40h%2F", "http%3A%2F%2FREDACTED%40h%2F"),
    ]) func fields(_ name: String, _ value: String, _ expected: String) {
      #expect(redactor.value(of: name, value) == expected)
    }

    @Test(arguments: [
      ("https://user:pass@host/p@q?a=b", "https://REDACTED@host/p@q?a=b"), ("https://host/?sig=1&a=2", "https://host/?sig=REDACTED&a=2"),
      ("https://h/?next=http%3A%2F%2Fa%3Aleak%40h%2F", "https://h/?next=http%3A%2F%2FREDACTED%40h%2F"),
      ("https://h/p%40q", "https://h/p%40q"),
      ("data:text/plain;base64,c2VjcmV0", "data:text/plain;base64"), ("https://host/", "https://host/"),
    ]) func urls(_ url: String, _ expected: String) {
      #expect(redactor.url(url) == expected)
    }

    @Test func theAppsNamesAndItsRuleForBodiesCount() {
      let redactor = Redactor(names: ["X-Room", "room_number"]) { _, text in text.replacingOccurrences(of: "4711", with: "XXXX") }
      #expect(redactor.value(of: "x-room", "7") == "REDACTED")
      #expect(Redactor(names: ["user-agent"]).value(of: "User-Agent", "me/1") == "REDACTED")
      let body = redactor.body(Data(#"{"roomNumber":7,"card":"4711"}"#.utf8), mediaType: "application/json")
      #expect(String(decoding: body, as: UTF8.self) == #"{"roomNumber":"REDACTED","card":"XXXX"}"#)
    }

    @Test func withoutRedactionAllIsAsItWas() {
      let redactor = Redactor(isOn: false)
      #expect(redactor.value(of: "Cookie", "a=1") == "a=1")
      #expect(redactor.url("https://u:p@h/?token=1") == "https://u:p@h/?token=1")
      #expect(redactor.body(Data("token=1".utf8), mediaType: "text/plain") == Data("token=1".utf8))
    }

    /// An end tag may have followed what is recorded.
    @Test(arguments: [false, true]) func bodyThatIsNotWholeKeepsNothingOfAnElement(isBroken: Bool) {
      let text = "<password>\nleak"
      var capture = BodyCapture(limit: isBroken ? 100 : text.utf8.count, budget: ByteBudget(limit: 1000))
      capture.append(ByteBuffer(string: text))
      if !isBroken { capture.append(ByteBuffer(string: "</password>")) }
      let body = capture.take("text/xml", redactor, isPart: isBroken)
      #expect(body.map { String(decoding: $0.data, as: UTF8.self) } == "<password>REDACTED")
    }

    @Test func imagesAreLeftAlone() {
      let bytes = Data("token=abc".utf8)
      #expect(redactor.body(bytes, mediaType: "image/png") == bytes)
      #expect(redactor.body(bytes, mediaType: "image/svg+xml") != bytes)
    }
  }
#endif
