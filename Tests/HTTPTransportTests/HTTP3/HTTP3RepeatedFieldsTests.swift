#if HTTP3
  import Testing

  @testable import HTTPTransport

  /// Fields that a server sends in each response, and what changes in between.
  @Suite struct HTTP3RepeatedFieldsTests {
    private static func field(_ fields: inout HTTP3RepeatedFields, _ name: String, _ value: [UInt8], at place: Int) -> HPACKField {
      Array(name.utf8).withUnsafeBytes { name in value.withUnsafeBytes { fields.field(name, $0, at: place) } }
    }

    @Test func eachResponseHasItsOwnValues() {
      var fields = HTTP3RepeatedFields()
      let heads: [[(String, String)]] = [
        [(":status", "200"), ("server", "one"), ("etag", "\"1\"")],
        [(":status", "200"), ("server", "one"), ("etag", "\"2\"")],
        [(":status", "304"), ("etag", "\"2\"")],
        [(":status", "200"), ("etag", ""), ("server", String(repeating: "x", count: 1000)), ("server", "one")],
        [(":status", "200"), ("server", "one"), ("etag", "\"1\""), ("Server", "one")],
      ]
      for head in heads + heads {
        for (place, (name, value)) in head.enumerated() {
          let field = HTTP3RepeatedFieldsTests.field(&fields, name, Array(value.utf8), at: place)
          #expect(field.name == name && field.value == value)
          #expect(field.kind == HPACKField(name: name, value: value).kind)
        }
      }
    }

    /// As over HTTP/1.1 and HTTP/2.
    @Test func valueThatIsNoUTF8IsLatin1() {
      var fields = HTTP3RepeatedFields()
      for _ in 0..<2 {
        #expect(HTTP3RepeatedFieldsTests.field(&fields, "x-name", [0x63, 0x61, 0x66, 0xE9], at: 0).value == "café")
        #expect(HTTP3RepeatedFieldsTests.field(&fields, "x-name", Array("café".utf8), at: 0).value == "café")
      }
    }

    /// More fields than are kept.
    @Test func longHeadIsRead() {
      var fields = HTTP3RepeatedFields()
      for place in 0..<100 {
        #expect(HTTP3RepeatedFieldsTests.field(&fields, "x-\(place)", Array("\(place)".utf8), at: place).value == "\(place)")
      }
    }
  }
#endif
