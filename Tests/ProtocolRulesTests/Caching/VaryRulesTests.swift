import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct VaryRulesTests {
  @Test(
    arguments: [
      ("Foo", [("Foo", "1")], [("Foo", "1")], true), ("Foo", [("Foo", "1")], [("Foo", "2")], false), ("Foo", [("Foo", "1")], [], false),
      ("Foo", [], [("Foo", "1")], false), ("Foo", [], [], true), ("foo", [("FOO", "1")], [("Foo", "1")], true),
      ("Foo, Bar", [("Foo", "1"), ("Bar", "2")], [("Bar", "2"), ("Foo", "1")], true),
      ("Foo, Bar", [("Foo", "1"), ("Bar", "2")], [("Foo", "1")], false),
      ("Foo", [("Foo", "1"), ("Foo", "2")], [("Foo", "1, 2")], true), ("Foo", [("Foo", "1, 2")], [("Foo", "1,2")], true),
      ("Foo", [("Foo", "1, 2")], [("Foo", "2, 1")], false), ("Foo", [("Foo", "a")], [("Foo", "A")], false),
      ("Foo", [("Foo", "\"a, b\"")], [("Foo", "\"a,b\"")], false), ("Foo", [("Foo", "1")], [("Foo", " 1 ")], true),
      ("Accept-Language", [("Accept-Language", "en, de")], [("Accept-Language", "EN,DE")], true),
      ("Accept-Language", [("Accept-Language", "en, de")], [("Accept-Language", "de, en")], false),
      ("*", [], [], false), ("Foo, *", [], [], false), ("*, *", [], [], false), (", *", [], [], false), (" , ", [], [("Foo", "1")], true),
    ] as [(String, [HeaderFields.Entry], [HeaderFields.Entry], Bool)])
  func everyNamedFieldMustMatch(
    vary: String, then: [HeaderFields.Entry], now: [HeaderFields.Entry], expected: Bool
  ) {
    #expect(VaryRules.matches(stored([("Vary", vary)], requestFields: then)) { HeaderFields(now) } == expected)
  }

  @Test func severalVaryLinesAreOneList() {
    let fields: [HeaderFields.Entry] = [("Vary", "Foo"), ("Vary", "Bar")]
    let stored = stored(fields, requestFields: [("Foo", "1"), ("Bar", "2")])
    #expect(VaryRules.matches(stored) { HeaderFields([("Foo", "1"), ("Bar", "2")]) })
    #expect(!VaryRules.matches(stored) { HeaderFields([("Foo", "1")]) })
    #expect(VaryRules.names(ResponseHead(status: 200, headers: HeaderFields(fields + [("Vary", "*")]))) == nil)
  }

  @Test func fieldsAreAskedForOnlyIfSomethingVaries() {
    var asked = 0
    let sent = {
      asked += 1
      return HeaderFields()
    }
    #expect(VaryRules.select([stored([]), stored([("Date", date(5))])], sent: sent) == 1)
    #expect(asked == 0)
  }

  @Test func theMostRecentMatchIsChosen() {
    let one = stored([("Vary", "Foo"), ("Date", date(0))], requestFields: [("Foo", "1")])
    let two = stored([("Vary", "Foo"), ("Date", date(5))], requestFields: [("Foo", "2")])
    let both = stored([("Date", date(3))])
    let select = { (value: String) in VaryRules.select([one, two, both]) { HeaderFields([("Foo", value)]) } }
    #expect(select("1") == 2)
    #expect(select("2") == 1)
    #expect(select("3") == 2)
    #expect(VaryRules.select([one, two]) { HeaderFields([("Foo", "3")]) } == nil)
    #expect(VaryRules.select([]) { HeaderFields() } == nil)
    let later = stored([("Date", date(5))], late: 9)
    #expect(VaryRules.select([two, later]) { HeaderFields([("Foo", "2")]) } == 1)
  }

  @Test func nominatedFieldsAreKept() {
    let head = ResponseHead(status: 200, headers: HeaderFields([("Vary", "foo, Missing")]))
    let kept = VaryRules.nominated(head, in: HeaderFields([("Foo", "1"), ("Bar", "2"), ("FOO", "3")]))
    #expect(kept.entries.map(\.value) == ["1", "3"])
  }
}
