#if Inspector
  import Foundation
  import ProtocolRules
  import Testing

  @testable import URLLoadingInspector

  @Suite struct TextRedactionTests {
    private let names = SecretNames(adding: ["house_key"])

    private func redacted(_ text: String, isCut: Bool = false) -> String { TextRedaction.redacted(text, names, isCut: isCut) }

    @Test(arguments: [
      (#"{"user":"a","password":"s3cret!x"}"#, #"{"user":"a","password":"REDACTED"}"#),
      (#"{"password" : "a\"s3cret" , "b":1}"#, #"{"password" : "REDACTED" , "b":1}"#),
      (#"{"access_token":"x","expires_in":3600}"#, #"{"access_token":"REDACTED","expires_in":3600}"#),
      (#"{"pin":1234,"b":2}"#, #"{"pin":"REDACTED","b":2}"#),
      (#"{"token":null}"#, #"{"token":null}"#),
      (#"{"credentials":{"a":"}","b":[1]},"c":3}"#, #"{"credentials":"REDACTED","c":3}"#),
      (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"REDACTED"}"#),
      (#"{"inner":"{\"password\":\"x\",\"b\":1}"}"#, #"{"inner":"{\"password\":\"REDACTED\",\"b\":1}"}"#),
      (#"{"token":"cut of"#, #"{"token":"REDACTED"#),
      ("user=a&password=p%26w&x=1", "user=a&password=REDACTED&x=1"),
      ("user[password]=x&b=1", "user[password]=REDACTED&b=1"),
      ("pass%77ord=x&b=1", "pass%77ord=REDACTED&b=1"),
      ("user%5Bpassword%5D=x&b=1", "user%5Bpassword%5D=REDACTED&b=1"),
      ("https://h/p?api_key=x&y=1#access_token=z", "https://h/p?api_key=REDACTED&y=1#access_token=REDACTED"),
      ("https://h/?X-Amz-Signature=ab&X-Amz-Date=1", "https://h/?X-Amz-Signature=REDACTED&X-Amz-Date=1"),
      ("<a><password>x</password><b>1</b></a>", "<a><password>REDACTED</password><b>1</b></a>"),
      ("client_secret: x y\nname: z", "client_secret: REDACTED\nname: z"),
      ("data: {\"id_token\": \"x\"}\n\n", "data: {\"id_token\": \"REDACTED\"}\n\n"),
      ("Authorization: Bearer abcdefghijklmnop", "Authorization: REDACTED"),
      ("say Bearer abcdefghijklmnop.qrs now", "say Bearer REDACTED now"),
      ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nrest", "REDACTED\nrest"),
      ("houseKey=x&b=1", "houseKey=REDACTED&b=1"),
      (
        "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nREDACTED\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--"
      ),
    ]) func secretsAreTakenOut(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      (
        #"<wsse:Password Type="http://h/#Text">hunter2</wsse:Password><b>1</b>"#,
        #"<wsse:Password Type="http://h/#Text">REDACTED</wsse:Password><b>1</b>"#
      ),
      ("<password><![CDATA[hunter</password>4]]></password><b/>", "<password>REDACTED</password><b/>"),
      ("<password><v>hunter5</v></password>", "<password>REDACTED</password>"),
      ("<Password> <!-- </Password> -->leak</Password >.", "<Password>REDACTED</Password >."),
      ("<token>a<token/><token x='1'>b</token>leak</token>.", "<token>REDACTED</token>."),
      ("<a:token>leak</b:token>leak", "<a:token>REDACTED"), ("<token>leak</tokens>leak", "<token>REDACTED"),
      (#"{"a":"<password>x<\/password>","b":1}"#, #"{"a":"<password>REDACTED<\/password>","b":1}"#),
      ("<password secret='leak'>leak</password>", "<password secret='REDACTED'>REDACTED</password>"),
      ("<token></token><token/>1", "<token></token><token/>1"), ("<token>cut <![CDATA[off", "<token>REDACTED"),
      (#"{"a":"\n<credentials>\n<b>cut off"#, #"{"a":"\n<credentials>REDACTED"#),
      ("a<password>\ncut off", "a<password>REDACTED"), ("<password value={x}>leak</password>.", "<password value={x}>REDACTED</password>."),
    ]) func elementsAreTakenUpToTheirEndTagsOrTheEndOfACutText(_ text: String, _ expected: String) {
      #expect(redacted(text, isCut: true) == expected)
    }

    @Test(arguments: [
      (
        #"{"openapi":"3.0.0","description":"Bearer <token>","paths":{"/a":{"get":1}}}"#,
        #"{"openapi":"3.0.0","description":"Bearer <token>","paths":{"/a":{"get":1}}}"#
      ),
      ("usage: tool login <password>\n  --foo b\n", "usage: tool login <password>\n  --foo b\n"),
      ("login <password> [--foo]\nb", "login <password>REDACTED\nb"),
      (#"{"a":"say <token> b, c","d":1}"#, #"{"a":"say <token>REDACTED","d":1}"#),
      ("</token> <token>\nb", "</token> <token>\nb"), ("<token>leak</tokens>b", "<token>REDACTED</tokens>b"),
      ("<token>\nleak</TOKEN>b", "<token>REDACTED</TOKEN>b"),
    ]) func placeholdersOfWholeTextsTakeOneLineAtMost(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("<Password value={x}>leak</Password>.", "<Password value={x}>REDACTED</Password>."),
      ("<a:Password on=(x);>\nleak</a:Password>.", "<a:Password on=(x);>REDACTED</a:Password>."),
    ]) func elementsWithUnusualAttributesAreTaken(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("for(;i<token;i++){a>b}\n<b>c</b>", "for(;i<token;i++){a>b}\n<b>c</b>"),
      ("for(;i<token ;i++){a>b}\n<b>c</b>", "for(;i<token ;i++){a>b}\n<b>c</b>"),
      ("if(n<this.sid&&n>1)a()", "if(n<this.sid&&n>1)a()"), ("a<token b(c)>d", "a<token b(c)>d"),
      ("a: Promise<Token>;\nb", "a: Promise<Token>REDACTED\nb"),
      ("{\"a\":\"Promise<Token>\",\"b\":1}", "{\"a\":\"Promise<Token>\",\"b\":1}"),
      ("a<token=leak&b>c", "a<token=REDACTED&b>c"), ("a<password>cut off", "a<password>REDACTED"),
      ("a<password>\nleak\n</password>.", "a<password>REDACTED</password>."),
      (#"<password a="b;(c{">leak</password>."#, #"<password a="b;(c{">REDACTED</password>."#),
    ]) func comparisonsAndArgumentsOfTypesAreNoElements(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    /// Neither the end of a tag nor an end tag is looked for anew for each name.
    @Test(
      .timeLimit(.minutes(5)),
      arguments: [
        "<token ;>", "<token a='", "<token \"'", "a<token>;\n", "a<token>\n</b>", "<token>", "<token ;></a>", "</token><token ;>",
      ])
    func longProgramsTakeOnePass(_ text: String) {
      let content = Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      #expect(redacted(content).hasPrefix(text.prefix(7)))
    }

    @Test(arguments: [
      ("https://h/?token=nullabc123secret", "https://h/?token=REDACTED"),
      ("https://h/?password=abc,defsecret&a=1", "https://h/?password=REDACTED&a=1"),
      ("https://h/?signature=MEUCIQ;zz#a", "https://h/?signature=REDACTED#a"),
      ("https://h/?a=1&token='ab'cd}e]f\"g<h&b=2", "https://h/?a=1&token=REDACTED&b=2"),
      ("https://h/?token={a}secret", "https://h/?token=REDACTED"),
    ]) func valuesInURLsEndAtAmpersandsAndFragmentsAlone(_ url: String, _ expected: String) {
      #expect(TextRedaction.redacted(url, names, isURL: true) == expected)
    }

    @Test(arguments: [
      ("password=nullsecret2", "password=REDACTED"), ("token=null&a=1", "token=REDACTED&a=1"),
      ("token=ab,cdsecret3&a=1", "token=REDACTED&a=1"), ("token=a;b#c}d]e&a=1", "token=REDACTED&a=1"),
      ("password='ab'secret&a=1", "password='REDACTED&a=1"), ("password=\"ab\", a=1", "password=\"REDACTED\", a=1"),
      (#"{"url":"https://h/?token=a,secret","b":1}"#, #"{"url":"https://h/?token=REDACTED","b":1}"#),
      (#""{\"url\":\"?token=a,secret\",\"b\":1}""#, #""{\"url\":\"?token=REDACTED\",\"b\":1}""#),
      ("password: abc,secret4\na: 1", "password: REDACTED\na: 1"), ("client_secret: a#secret5\na: 1", "client_secret: REDACTED\na: 1"),
      ("token: null\na: 1", "token: null\na: 1"), ("token: nullsecret\r\na: 1", "token: REDACTED\r\na: 1"),
      ("a:\n  password: |\n    one\n\n    two\n  b: 1\n", "a:\n  password: REDACTED\n  b: 1\n"),
      ("- password: >-\n    one\n  b: 1", "- password: REDACTED\n  b: 1"),
      ("credentials:\n- one\n- two\nb: 1", "credentials:REDACTED\nb: 1"),
      ("\"password\": a,b\nc: 1", "\"password\": REDACTED\nc: 1"), ("password: 'it''s'\na: 1", "password: 'REDACTED\na: 1"),
      ("Enter your password:\nthanks", "Enter your password:\nthanks"),
      ("{\"password\":\n  \"secret7\"}", "{\"password\":\n  \"REDACTED\"}"),
      ("{\"password\"\n: [1], \"b\":\ntrue}", "{\"password\"\n: \"REDACTED\", \"b\":\ntrue}"),
      (#""{\"password\":\n \"secret7\"}""#, #""{\"password\":\n \"REDACTED\"}""#),
      (#"{"a":"https://bob:hunter2secret@git.example/x"}"#, #"{"a":"https://REDACTED@git.example/x"}"#),
      (#"{"a":"https:\/\/bob:p@ss@git.example\/x@y"}"#, #"{"a":"https:\/\/REDACTED@git.example\/x@y"}"#),
      ("see https://h/x@y and a@b", "see https://h/x@y and a@b"),
    ]) func noPartOfASecretStays(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    @Test(arguments: [
      ("payload=%7B%22token%22%3A%22leak%22%7D&a=1", "payload=%7B%22token%22%3AREDACTED&a=1"),
      ("payload=%7B%22pin%22+%3a+1234%7D", "payload=%7B%22pin%22+%3aREDACTED"),
      ("payload=%7B%22token%22:%22leak%22%7D&a=1", "payload=%7B%22token%22:REDACTED&a=1"),
      ("a=%22%7B%5C%22token%5C%22%3A%5C%22leak%5C%22%7D%22", "a=%22%7B%5C%22token%5C%22%3AREDACTED"),
      ("a=b%26token%3Dleak%26c&d=1", "a=b%26token%3DREDACTED&d=1"), ("q=token%3A+leak&a=1", "q=token%3AREDACTED&a=1"),
      ("next=http%3A%2F%2Fa%3Aleak%40h%2Fx%40y&a=1", "next=http%3A%2F%2FREDACTED%40h%2Fx%40y&a=1"),
      ("next=http%3a%2f%2fleak@h%2f", "next=http%3a%2f%2fREDACTED@h%2f"), ("next=http%3A//a:leak%40h/", "next=http%3A//REDACTED%40h/"),
      ("http://a:b%2Fleak@h/", "http://REDACTED@h/"), ("next=http%3A%2F%2Fh%2F&a=b%40c", "next=http%3A%2F%2Fh%2F&a=b%40c"),
      (#"{"a":"{\"password\":\"x\\\",leak\"}"}"#, #"{"a":"{\"password\":\"REDACTED\"}"}"#),
      (#"{"a":"{\"password\":\"x\\\\\",\"b\":1}"}"#, #"{"a":"{\"password\":\"REDACTED\",\"b\":1}"}"#),
      (
        #"{"a":"{\"b\":\"{\\\"pin\\\":\\\"x\\\\\\\"leak\\\"}\"}"}"#,
        #"{"a":"{\"b\":\"{\\\"pin\\\":\\\"REDACTED\\\"}\"}"}"#
      ),
      (#"{"a":"{\"password\":\"cut off"}"#, #"{"a":"{\"password\":\"REDACTED"}"#),
      (#"{"token":"a\\","b":1}"#, #"{"token":"REDACTED","b":1}"#),
      (#"{"a":"{\"credentials\":{\"b\":\"}\"},\"c\":1}"}"#, #"{"a":"{\"credentials\":"REDACTED",\"c\":1}"}"#),
    ]) func encodedAndNestedFormsKeepNoSecret(_ text: String, _ expected: String) {
      #expect(redacted(text) == expected)
    }

    /// Looking back or ahead anew for each name would take longer than the limit.
    @Test(
      .timeLimit(.minutes(5)),
      arguments: [
        #""token","#, "<token ", "%3A%2F%2F", "%3A%2F%2Fa", "%22token%22", "\\u0041", "token ", "://", "token: null\n", "token\n\n\n",
      ]
    ) func longTextsTakeOnePass(_ text: String) {
      let whole = "Content-Disposition: " + Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      #expect(redacted(whole) == whole)
    }

    /// The end tag is looked for once for each element that has none inside.
    @Test(.timeLimit(.minutes(5)), arguments: ["<token ", "<![CDATA[", "<!--", "<a:token>", "</token"])
    func longElementsTakeOnePass(_ text: String) {
      let content = Array(repeating: text, count: (1 << 17) / text.utf8.count).joined()
      #expect(redacted("<token>" + content, isCut: true).hasPrefix("<token>REDACTED"))
      #expect(redacted("<token>a" + content).hasPrefix("<token>REDACTED"))
    }

    @Test(arguments: [
      "The password is long, the token short.", #"{"name":"password","count":3}"#, "a=1&b=2", "Bearer of news", "tokens: none of them",
      "<token/>", "", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    ]) func whatIsNoSecretStays(_ text: String) {
      #expect(redacted(text) == text)
    }

    @Test func textThatIsCutAnywhereKeepsNoPartOfASecret() {
      let text = #"{"a":{"refresh_token":"s3cr3t-s3cr3t","n":1},"password":"s3cr3t"}&api_key=s3cr3t&<secret>s3cr3t</secret>"#
      for count in 0...text.utf8.count {
        let cut = String(decoding: text.utf8.prefix(count), as: UTF8.self)
        #expect(!redacted(cut, isCut: true).contains("s3"), "\(cut)")
      }
    }

    @Test func bytesOfAnyKindEndNoLoopAndNoProcess() {
      var generator = SystemRandomNumberGenerator()
      let alphabet =
        Array(#"{}[]"':=&<>\%-_ token password Bearer \u0074 \u0022 %253D &lt; \\u003c %3C &gt; / -----BEGIN PRIVATE KEY-----"#.utf8) + [
          0, 0xFF, 10, 13,
        ]
      for _ in 0..<2000 {
        let text = (0..<Int.random(in: 0...60, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        for isCut in [true, false] { _ = TextRedaction.redacted(text, names, isCut: isCut) }
      }
    }
  }
#endif
