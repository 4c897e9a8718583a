import ProtocolRules
import Testing

struct AcceptLanguageRulesTests {
  @Test(arguments: [
    (["en-US"], "en-US,en;q=0.9"),
    (["en"], "en"),
    (["de-DE", "en-US"], "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
    (["en-US", "en-GB"], "en-US,en-GB;q=0.9,en;q=0.8"),
    (["en-US", "en"], "en-US,en;q=0.9"),
    (["en-US", "de", "en"], "en-US,en;q=0.9,de;q=0.8"),
    (["de_DE.UTF-8", "sr_RS@latin"], "de-DE,de;q=0.9,sr-RS;q=0.8,sr;q=0.7"),
    (["zh-Hans-CN"], "zh-Hans-CN,zh;q=0.9"),
    (["C", "POSIX", "C.UTF-8", "fr"], "fr"),
    (["en\r\nX: y", "", "a b", "-", "de-", "fr"], "fr"),
    (["en-001"], "en"),
    (["en_001.UTF-8", "de"], "en,de;q=0.9"),
    (["es-419"], "es-419,es;q=0.9"),
    (["EN-us", "en-US"], "EN-us,en;q=0.9"),
  ])
  func weightsFall(languages: [String], expected: String) {
    #expect(AcceptLanguageRules.value(for: languages) == expected)
  }

  @Test func atMostTenTagsAreSent() {
    let many = (0..<26).compactMap { UnicodeScalar(0x61 + $0).map { "x\($0)" } }
    let value = AcceptLanguageRules.value(for: many)
    #expect(value?.split(separator: ",").count == 10)
    #expect(value?.hasSuffix("xj;q=0.1") == true)
  }

  @Test(arguments: [[], ["C"], ["", "POSIX"]])
  func noUsableLanguageMeansNoValue(languages: [String]) {
    #expect(AcceptLanguageRules.value(for: languages) == nil)
  }
}
