#if Inspector
  import Foundation
  import ProtocolRules
  import Testing

  @testable import URLLoadingInspector

  /// Secrets in text that is inside other text, encoded or escaped.
  @Suite struct EncodedTextTests {
    private func redacted(_ text: String, isCut: Bool = false) -> String { TextRedaction.redacted(text, SecretNames(), isCut: isCut) }

    @Test(arguments: [
      (#"{"a":"{\u0022password\u0022:\u0022leak\u0022}"}"#, #"{"a":"{\u0022password\u0022:REDACTED"}"#),
      (#"{"a":"{\u0022password\u0022: \u0022a&leak\u0022}","b":1}"#, #"{"a":"{\u0022password\u0022:REDACTED","b":1}"#),
      (#"{"a":"{\\u0022pin\\u0022:\\u0022leak\\u0022}"}"#, #"{"a":"{\\u0022pin\\u0022:REDACTED"}"#),
      (#"{"u":"https://h/?token\u003dleak\u0026a\u003d1"}"#, #"{"u":"https://h/?token\u003dREDACTED"}"#),
      (#"{"u":"a=1\u0026pin=leak"}"#, #"{"u":"a=1\u0026pin=REDACTED"}"#),
      (
        #"{"x":"\u003cpassword\u003eleak\u003c/password\u003e","b":1}"#, #"{"x":"\u003cpassword\u003eREDACTED\u003c/password\u003e","b":1}"#
      ),
      (#"{"x":"\u003cpin\u003eleak\u003c\/pin\u003e","b":1}"#, #"{"x":"\u003cpin\u003eREDACTED\u003c\/pin\u003e","b":1}"#),
      (#"{"a":"https:\u002f\u002fbob:leak\u0040h/x"}"#, #"{"a":"https:\u002f\u002fREDACTED\u0040h/x"}"#),
      (#"{"a":"{\u0022token\u0022:null}"}"#, #"{"a":"{\u0022token\u0022:null}"}"#),
    ]) func escapesOfJSONHideNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("note=Bearer%20abcdefghijklmnop&a=1", "note=Bearer%20REDACTED&a=1"),
      ("note=Bearer+abcdefghijklmnop&a=1", "note=Bearer+REDACTED&a=1"),
      ("a=%7B%22h%22%3A%22Bearer%20abcdefghijkl%2Bop%22%7D", "a=%7B%22h%22%3A%22Bearer%20REDACTED%22%7D"),
      ("u=h%3Fa%3DBearer%2520abcdefghijklmnop", "u=h%3Fa%3DBearer%2520REDACTED"),
      (#"{"h":"Bearer\u0020abcdefghijklmnop\u0022"}"#, #"{"h":"Bearer\u0020REDACTED\u0022"}"#),
      ("a=Bearer%20of%20good%20news", "a=Bearer%20of%20good%20news"),
    ]) func tokensAfterAnEncodedSpaceAreTakenOut(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    /// Quotes of attributes end no string, at whatever depth.
    @Test(arguments: [
      (
        #"{"body":"\u003cwsse:Password Type=\"http://x#PasswordText\"\u003eleak123\u003c/wsse:Password\u003e","b":1}"#,
        #"{"body":"\u003cwsse:PasswordREDACTED\u003c/wsse:Password\u003e","b":1}"#
      ),
      (
        #"{"a":"{\"a\":\"\\u003cpassword\\u003eleak\\u003c/password\\u003e\"}","b":1}"#,
        #"{"a":"{\"a\":\"\\u003cpassword\\u003eREDACTED\\u003c/password\\u003e\"}","b":1}"#
      ),
      (
        #"{"a":"{\"a\":\"\\u003cpin a=\\\"leak\\\"\\u003eleak\\u003c\\/pin\\u003e\"}","b":1}"#,
        #"{"a":"{\"a\":\"\\u003cpinREDACTED\\u003c\\/pin\\u003e\"}","b":1}"#
      ),
      (
        #"{"a":"{\"a\":\"\\u003cpin a=\\\"leak\\\"\\u003eleak\",\"c\":1}","b":1}"#,
        #"{"a":"{\"a\":\"\\u003cpinREDACTED\",\"c\":1}","b":1}"#
      ),
      (#"{"a":"\u003cpin\n\ta=\"leak\"\u003eleak\u003c/pin\u003e."}"#, #"{"a":"\u003cpinREDACTED\u003c/pin\u003e."}"#),
      (#"{"a":"\u003cpin\u003ea \"leak\", leak","b":1}"#, #"{"a":"\u003cpin\u003eREDACTED","b":1}"#),
      (#"{"a":"\u003cpin\u003ecut \"#, #"{"a":"\u003cpin\u003eREDACTED"#),
    ]) func attributesInEscapedElementsHideNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
      for count in 0...text.utf8.count {
        #expect(!redacted(String(decoding: text.utf8.prefix(count), as: UTF8.self), isCut: true).contains("leak"))
      }
    }

    @Test(arguments: [
      (
        #"{"items":[{"id":1,"title":"How to send &lt;token&gt; in a header?","score":5},{"id":2}]}"#,
        #"{"items":[{"id":1,"title":"How to send &lt;token&gt;REDACTED","score":5},{"id":2}]}"#
      ),
      (#"{"a":"one &lt;token &amp; more","b":1}"#, #"{"a":"one &lt;token &amp; more","b":1}"#),
      ("<p>login &lt;password&gt;</p><p>b</p>", "<p>login &lt;password&gt;</p><p>b</p>"),
      ("&lt;/pin&gt; &lt;pin&gt; b\nc", "&lt;/pin&gt; &lt;pin&gt;REDACTED\nc"),
      ("if a &lt;token &amp;&amp;\nb &gt; c", "if a &lt;token &amp;&amp;\nb &gt; c"),
      ("<s>&lt;pin a=&quot;leak&quot;&gt;leak</s>b", "<s>&lt;pinREDACTED</s>b"),
      ("<s>&lt;Pin a=\"leak\"&gt;\nleak&lt;/PIN&gt;</s>b", "<s>&lt;PinREDACTED&lt;/PIN&gt;</s>b"),
      ("&lt;pin&gt;\nleak</pin>&lt;/pin&gt;.", "&lt;pin&gt;REDACTED&lt;/pin&gt;."),
    ]) func encodedPlaceholdersOfWholeTextsTakeOneLineAtMost(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("&lt;pin&gt;a\nleak", "&lt;pin&gt;REDACTED"), ("&lt;pin a=\"b\"&gt;a\nleak", "&lt;pinREDACTED"),
      ("&lt;pin a=\"b", "&lt;pinREDACTED"),
    ]) func encodedElementsOfACutTextTakeTheRest(_ text: String, _ expected: String) {
      #expect(redacted(text, isCut: true) == expected)
    }

    @Test(arguments: [
      ("element=%3Cpassword%3Eleak%3C%2Fpassword%3E&a=1", "element=%3Cpassword%3EREDACTED%3C%2Fpassword%3E&a=1"),
      ("e=%3Ca%3APin+Type%3D%22leak%22%3Eleak%3C%2Fa%3APin%3E%3Cb%3E", "e=%3Ca%3APinREDACTED%3C%2Fa%3APin%3E%3Cb%3E"),
      ("e=%3Cpin%3E%3Cpin%3Ea%3C%2Fpin%3Eleak%3C%2Fpin%3E.", "e=%3Cpin%3EREDACTED%3C%2Fpin%3E."),
      ("e=%3Cpassword%3Ecut&a=1", "e=%3Cpassword%3EREDACTED&a=1"), ("e=%3Cpassword%3E&a=1", "e=%3Cpassword%3E&a=1"),
      ("e=%3Cpassword%2F%3Ea", "e=%3Cpassword%2F%3Ea"),
    ]) func encodedElementsHideNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("continue=https%253A%252F%252Fh%252F%253Ftoken%253Dleak&a=1", "continue=https%253A%252F%252Fh%252F%253Ftoken%253DREDACTED&a=1"),
      ("next=http%253A%252F%252Fa%253Aleak%2540h%252F&a=1", "next=http%253A%252F%252FREDACTED%2540h%252F&a=1"),
      ("a=%253Cpin%253Eleak%253C%252Fpin%253E&b", "a=%253Cpin%253EREDACTED%253C%252Fpin%253E&b"),
      ("pass%2577ord=leak&b=1", "pass%2577ord=REDACTED&b=1"), ("data=user%3Dx%0D%0Apass%3Dleak", "data=user%3Dx%0D%0Apass%3DREDACTED"),
      ("data=%7Bpin%3A1&a=1", "data=%7Bpin%3AREDACTED&a=1"),
      (#"a=%22%5Cu0022pin%5Cu0022%3A%5Cu0022leak&a=1"#, #"a=%22%5Cu0022pin%5Cu0022%3AREDACTED&a=1"#),
      ("a=100%25 pin&b=%2", "a=100%25 pin&b=%2"),
    ]) func percentEncodingHidesNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("&lt;password&gt;leak&lt;/password&gt; b", "&lt;password&gt;REDACTED&lt;/password&gt; b"),
      (
        "<s>&lt;a:Pin t=&quot;leak&quot;&gt;\n&lt;b&gt;leak&lt;/b&gt;leak&lt;/a:Pin&gt;</s>", "<s>&lt;a:PinREDACTED&lt;/a:Pin&gt;</s>"
      ),
      ("&amp;lt;pin&amp;gt;leak&amp;lt;/pin&amp;gt;.", "&amp;lt;pin&amp;gt;REDACTED&amp;lt;/pin&amp;gt;."),
      ("<s>&lt;password&gt;cut off", "<s>&lt;password&gt;REDACTED"), ("<s>&lt;password&gt;leak</s>1", "<s>&lt;password&gt;REDACTED</s>1"),
      ("<a b=\"{&quot;pin&quot;:&quot;leak&quot;}\">c", "<a b=\"{&quot;pin&quot;:REDACTED\">c"),
    ]) func entitiesHideNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    /// Template engines and frameworks write characters as numbers, decimal or hexadecimal, some with leading zeros.
    @Test(arguments: [
      ("&lt;password&gt;\nleak\n&lt;&#x2F;password&gt;", "&lt;password&gt;REDACTED&lt;&#x2F;password&gt;"),
      ("&lt;pin&gt;\nleak\n&lt;&#47;pin&gt;.", "&lt;pin&gt;REDACTED&lt;&#47;pin&gt;."),
      ("&#x0003C;pin&#062;\nleak\n&#60;/pin&#X3e;.", "&#x0003C;pin&#062;REDACTED&#60;/pin&#X3e;."),
      ("<a href=\"https://h/?token&#x3D;leak1234567\">", "<a href=\"https://h/?token&#x3D;REDACTED\">"),
      ("{&#039;password&#039;&#58;&#039;leak&#039;}", "{&#039;password&#039;&#58;REDACTED"),
      ("<a href='https&#58;&#x2F;&#x2F;bob&#58;leak&#64;h/x'>", "<a href='https&#58;&#x2F;&#x2F;REDACTED&#64;h/x'>"),
      ("api&#45;key&#61;leak", "api&#45;key&#61;REDACTED"), ("&#112;assword&amp;#x3d;leak", "&#112;assword&amp;#x3d;REDACTED"),
      ("token&#; &#x; &#123456789; &#x80; &#", "token&#; &#x; &#123456789; &#x80; &#"),
    ]) func numbersOfCharactersHideNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      (#"{"api\u002dkey":"leak","b":1}"#, #"{"api\u002dkey":"REDACTED","b":1}"#), ("api%2Dkey=leak&a=1", "api%2Dkey=REDACTED&a=1"),
      ("api%252Ekey=leak&a=1", "api%252Ekey=REDACTED&a=1"),
      ("db%2Dpwd=leak&user%2Epass=leak", "db%2Dpwd=REDACTED&user%2Epass=REDACTED"), ("a-pwd=b", "a-pwd=b"),
      ("%3Capi%2Dkey%3Eleak%3C%2Fapi%2Dkey%3E&a", "%3Capi%2Dkey%3EREDACTED%3C%2Fapi%2Dkey%3E&a"),
      (
        #"{"a":"\u003capi\u002ekey\u003eleak\u003c/api\u002ekey\u003e"}"#,
        #"{"a":"\u003capi\u002ekey\u003eREDACTED\u003c/api\u002ekey\u003e"}"#
      ),
      ("token%2Dtype=a&b=1", "token%2Dtype=a&b=1"),
    ]) func encodedSignsJoinThePartsOfAName(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    /// Looking ahead anew for each name would take longer than the limit.
    @Test(
      .timeLimit(.minutes(5)),
      arguments: [
        "%25", "%2525", "&amp;", "&#45;", "&#0000", "%2D", "%3Ctoken", "%3Ca%3A", "&lt;token/", #"\u003ctoken"#, #"\u0022token\u0022"#,
        "%22token%5C", "&lt;token ",
        #"\u003ctoken\"#,
      ])
    func longEncodedTextsTakeOnePass(_ text: String) {
      let whole = Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      #expect(redacted(whole) == whole)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["%3Ctoken%3E", "%3Ctoken+", "&lt;token&gt;", "&lt;token ", #"\u003ctoken\u003e"#])
    func longEncodedElementsTakeOnePass(_ text: String) {
      let whole = Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      #expect(redacted(whole, isCut: true).utf8.count < 100)
      // An entity's start tag without `>` is words where it has no end tag of its own.
      let ends = text == "&lt;token " ? whole.replacingOccurrences(of: text, with: "&lt;/token&gt;") : "&lt;/token&gt;"
      #expect(redacted(whole + ends).utf8.count < 100)
    }
  }
#endif
