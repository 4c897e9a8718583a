#if Inspector
  import Foundation
  import ProtocolRules
  import Testing

  @testable import URLLoadingInspector

  /// Where elements begin and end whose content is a secret, and what is left behind those that have no end.
  @Suite struct ElementTests {
    private func redacted(_ text: String, isCut: Bool = false) -> String { TextRedaction.redacted(text, SecretNames(), isCut: isCut) }

    @Test(arguments: [
      (
        #"{"a":"{\"b\":\"<credentials><user>leak<\\\/user><key>leak<\\\/key><\\\/credentials>\"}"}"#,
        #"{"a":"{\"b\":\"<credentials>REDACTED<\\\/credentials>\"}"}"#
      ),
      (#"{"a":"<pin>\nleak<\u002fpin>","b":1}"#, #"{"a":"<pin>REDACTED<\u002fpin>","b":1}"#),
      (#"{"a":"<pin>\nleak\n</pin"#, #"{"a":"<pin>REDACTED</pin"#),
    ]) func endTagsInJSONMayHaveBackslashes(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      (#"{"a":"<credentials>\n  <key>leak</key>\n","b":""}"#, #"{"a":"<credentials>REDACTED","b":""}"#),
      (#"{"a":"<credentials>\n  <key a=\"b\" c=\"leak\">leak</key>\n","b":""}"#, #"{"a":"<credentials>REDACTED","b":""}"#),
      (
        #"{"a":"{\"a\":\"<credentials>\\n<key a=\\\"b\\\" c=\\\"leak\\\">leak</key>\",\"b\":1}","c":2}"#,
        #"{"a":"{\"a\":\"<credentials>REDACTED\",\"b\":1}","c":2}"#
      ),
      (#"{"a":"say \"hi\" <pin><key>a \"b\" leak</key>\n","b":""}"#, #"{"a":"say \"hi\" <pin>REDACTED","b":""}"#),
      (#"<credentials><user>leak</user>\u003c/credentials>"#, "<credentials>REDACTED"),
      ("<div><pin><a>leak</a><b>leak</b></div><p>c", "<div><pin>REDACTED</div><p>c"),
      ("<p>enter <token> and <br> then</p><p>b", "<p>enter <token>REDACTED</p><p>b"),
      ("<credentials><br>leak<key>leak</key>\nb", "<credentials>REDACTED\nb"),
    ]) func whatIsInAnElementWithoutEndTagIsTakenWithIt(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("&lt;pin&gt;<span>leak</span>&lt;/pin&gt;.", "&lt;pin&gt;REDACTED&lt;/pin&gt;."),
      ("&lt;pin&gt;<br/>&lt;a&gt;leak&lt;/a&gt;\n&lt;/pin&gt;.", "&lt;pin&gt;REDACTED&lt;/pin&gt;."),
      ("&lt;pin&gt;<br/>&lt;a&gt;leak&lt;/a&gt;\nb", "&lt;pin&gt;REDACTED\nb"),
      ("<i>&lt;pin&gt;</i>leak<i>&lt;/pin&gt;</i>.", "<i>&lt;pin&gt;REDACTED&lt;/pin&gt;</i>."),
      ("<p>a &lt;pin&gt; <b>b</b> c</p><p>d", "<p>a &lt;pin&gt;REDACTED</p><p>d"),
      ("&lt;a&#58;pin&gt;\nleak&lt;pin/&gt;leak&lt;/a:pin&gt;.", "&lt;a&#58;pin&gt;REDACTED&lt;/a:pin&gt;."),
      ("<pin>a&lt;/pin&gt;leak</pin>.", "<pin>REDACTED</pin>."),
    ]) func encodedElementsGoToTheirEndTagsAcrossOthers(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test func ofACutTextAnEncodedPlaceholderTakesWhatItsElementHas() {
      #expect(redacted("<p>a &lt;pin&gt;\n<b>leak</b></p>\nb", isCut: true) == "<p>a &lt;pin&gt;REDACTED</p>\nb")
    }

    @Test(arguments: [
      (#"<Password Note="a/>b">leak</Password>."#, #"<Password Note="a/>REDACTED</Password>."#),
      (#"<Password A="<b>">leak</Password>."#, #"<Password A="<b>REDACTED</Password>."#),
      (#"<pin a="b/"/>c<pin>leak</pin>d"#, #"<pin a="b/"/>c<pin>REDACTED</pin>d"#),
      (#"<pin>leak<pin a='"' />leak</pin>d"#, "<pin>REDACTED</pin>d"),
      ("a <token b>c d>e", "a <token b>REDACTED"), ("if(a <token ){b>c}", "if(a <token ){b>c}"),
      ("<Password value={x}>leak", "<Password value={x}>REDACTED"),
    ]) func signsInAttributesEndNoTag(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [true, false]) func longAttributesHideNoElement(isCut: Bool) {
      let tag = "<Password A=\"\(String(repeating: "a", count: 5000))\">"
      #expect(redacted(tag + "leak", isCut: isCut) == tag + "REDACTED")
      #expect(redacted(tag + "\nleak</Password>.", isCut: isCut) == tag + "REDACTED</Password>.")
      let words = "a <token" + String(repeating: " a", count: 5000) + "> b"
      #expect(redacted(words, isCut: isCut) == words)
      #expect(redacted(words + "\nleak</token>", isCut: isCut).hasSuffix(">REDACTED</token>"))
    }

    @Test(arguments: [
      ("<Password value={x}>leak", "<Password value={x}>REDACTED"), ("<pin @a=b(c)>\nleak", "<pin @a=b(c)>REDACTED"),
      ("<pin a={()=>b}>leak", "<pin a={()=>REDACTED"), ("for(;a<token ;a++){b>c}\nd", "for(;a<token ;a++){b>c}\nd"),
      ("<pin><!-- </pin> leak", "<pin>REDACTED"),
    ]) func startTagsOfACutTextTakeTheRest(_ text: String, _ expected: String) {
      #expect(redacted(text, isCut: true) == expected)
    }

    /// More is taken than a secret has where a start tag has lost its end tag to another; nothing of one is left.
    @Test(arguments: [
      ("say <token>\nthen\n<token>leak</token>\nrest", "say <token>REDACTED</token>\nrest"),
      ("say &lt;token&gt;\n&lt;token&gt;leak&lt;/token&gt;\nrest", "say &lt;token&gt;REDACTED&lt;/token&gt;\nrest"),
      ("<token>\nleak\n<token a=\"x>y\"/>\nleak\n</token>rest", "<token>REDACTED</token>rest"),
      ("<token>\nleak\n<token a=\"x<y\"/>\nleak\n</token>rest", "<token>REDACTED</token>rest"),
      ("&lt;token&gt;leak&lt;token a=\"b\"/&gt;\nleak\n&lt;/token&gt;rest", "&lt;token&gt;REDACTED&lt;/token&gt;rest"),
      ("s=\"<!--\" <pin>\n<!-- a -->\n<user>leak</user>\n</pin>rest", "s=\"<!--\" <pin>REDACTED</pin>rest"),
      ("<pin>\na<!--leak\n</pin><!-- c -->rest", "<pin>REDACTED</pin><!-- c -->rest"),
      ("<![CDATA[<pin>]]><auth><pin>leak</pin>\nleak\n</auth>rest", "<![CDATA[<pin>REDACTED</auth>rest"),
      ("<token>a\n<Token b='c'>leak</TOKEN>leak</token>\nrest", "<token>REDACTED</token>\nrest"),
      ("<!-- <pin>\nleak\n</pin> -->rest", "<!-- <pin>REDACTED</pin> -->rest"),
      ("'<!--' <pin>\nleak\n</pin>rest", "'<!--' <pin>REDACTED</pin>rest"),
      ("<pin>\n<!-- <pin> -->leak\n</pin>rest", "<pin>REDACTED</pin>rest"),
    ]) func lostEndTagsLeaveNothing(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("<c><!-- your <token> here --><w:Password a=\"b\">leak</w:Password></c>", "<c><!-- your <token>REDACTED</c>"),
      ("<a><!-- your <token> here --><credentials>\n<user>leak</user>\n</credentials></a>", "<a><!-- your <token>REDACTED</a>"),
      ("Use <token> as in <password a=\"b\">leak", "Use <token>REDACTED"),
      ("<li>&lt;token&gt; see <credentials a=\"b\">leak</credentials></li>", "<li>&lt;token&gt;REDACTED</li>"),
      ("<x-password a=\"b<c\"/><p>rest</p>", "<x-password a=\"b<c\"/><p>rest</p>"),
    ]) func whatBeginsOnThePlaceholdersLineIsTakenWhole(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      #"{"a":"Send the token, then the key: it's no password.","b":[1,2]}"#,
      "<h1>Keys</h1><p>The token and the password.</p><form><input name=\"q\" value=\"1\"></form>",
      #"var a="<token>",b=/"/,c="<token>",d="e";"#, #"{"a":"Map<Key, Token>, Promise<Token>","b":"c"}"#,
      "5 < token and key > 3", "&lt;p&gt;password &amp; token&lt;/p&gt; rest",
    ]) func wordsOfProseTakeNothing(_ text: String) {
      #expect(redacted(text) == text)
    }

    /// Neither tags nor their ends are looked for anew for each name.
    @Test(
      .timeLimit(.minutes(5)),
      arguments: [
        "<pin><a>", "<pin></a>", "<pin a=\"'", "<pin a='<", "<a><pin>\n", "&lt;pin&gt;<a>", "&lt;pin&gt;</a>", #"<\\\"#, #"<pin>\""#,
        "<pin>\"", "<!-- <pin> -->", "<pin><!--", "<pin>]]>", "&lt;pin&gt;\n", "<pin>\n<pin></pin>",
      ])
    func longTextsOfTagsTakeOnePass(_ text: String) {
      let whole = Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      for isCut in [true, false] { #expect(redacted(whole + "<pin>leak</pin>", isCut: isCut).contains("leak") == false) }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["<", "</", "&lt;", "&lt;/"]) func manyNamesTakeOnePass(_ sign: String) {
      let tags = (0..<20_000).map { "\(sign)a\($0)-token>" }
      let whole = tags.joined() + tags.reversed().joined(separator: "\n")
      #expect(redacted(whole).utf8.count < 2 * whole.utf8.count)
    }
  }
#endif
