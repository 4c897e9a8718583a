import ProtocolRules
import Testing

struct DataURLTests {
  @Test(
    arguments: [
      ("data:,Hello%2C%20World", "text/plain", "US-ASCII", "Hello, World"),
      ("data:text/html;charset=UTF-8,%3Cp%3E", "text/html", "UTF-8", "<p>"),
      ("DATA:Text/Plain;base64,SGVsbG8", "text/plain", nil, "Hello"),
      (" data:text/plain;base64,SGVs\n bG8= ", "text/plain", nil, "Hello"),
      ("data:application/json,{\"a\":1}#fragment", "application/json", nil, "{\"a\":1}"),
      ("data:nonsense,x", "text/plain", "US-ASCII", "x"),
      ("data:text/plain,a?b=%26", "text/plain", nil, "a?b=&"),
      ("data:text/plain;a=?\"b\",x", "text/plain", nil, "x"),
    ] as [(String, String, String?, String)])
  func urlIsTakenApart(url: String, mimeType: String, charset: String?, body: String) throws {
    let result = try #require(DataURL.parse(url))
    #expect(result.mimeType == mimeType)
    #expect(result.charset == charset)
    #expect(String(decoding: result.body, as: UTF8.self) == body)
  }

  @Test(arguments: [
    "", "data", "data:", "data:text/plain", "http://h/,x", "data:;base64,A", "data:;base64,%%%%", "data://h:x/,y", "data:#,x",
  ])
  func brokenURLsAreRefused(url: String) {
    #expect(DataURL.parse(url) == nil)
  }

  @Test func bigBodiesAreRead() throws {
    let body = String(repeating: "QUJD", count: 100_000)
    #expect(try #require(DataURL.parse("data:;base64," + body)).body.count == 300_000)
  }

  @Test(
    arguments: [
      ("", []), ("QQ", [0x41]), ("QQ==", [0x41]), ("Q Q\n= =", [0x41]), ("QUI", [0x41, 0x42]), ("QR", [0x41]), ("Q", nil), ("QQ=", nil),
      ("QUJD=", nil), ("Q-_Q", nil), ("=QQ=", nil),
    ] as [(String, [UInt8]?)])
  func base64Forgives(text: String, expected: [UInt8]?) {
    #expect(ForgivingBase64.decode(text.utf8) == expected)
  }
}
