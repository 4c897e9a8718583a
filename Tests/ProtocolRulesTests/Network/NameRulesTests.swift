import ProtocolRules
import Testing

struct NameRulesTests {
  @Test func specialNamesStayOnTheMachine() {
    for name in ["localhost", "LocalHost.", "a.localhost", "A.LOCALHOST.", "b.a.localhost"] {
      #expect(SpecialNames.answer(name) == .loopback)
    }
    for name in ["invalid", "a.invalid", "a.INVALID.", "x.onion", "onion"] { #expect(SpecialNames.answer(name) == .absent) }
    for name in ["localhost.example", "invalid.example", "notonion", "mylocalhost", "example.org."] {
      #expect(SpecialNames.answer(name) == .ask)
    }
  }

  @Test func validationIsRefusedWhereThereIsANameToValidate() {
    #expect(LookUpRules.refusal(of: "example.org", requiresValidation: false) == nil)
    for literal in ["192.0.2.1", "2001:db8::1"] { #expect(LookUpRules.refusal(of: literal, requiresValidation: true) == nil) }
    let refusal = LookUpRules.refusal(of: "example.org", requiresValidation: true)
    #expect(refusal?.kind == .dnsLookupFailed)
    #expect(refusal?.message.contains("requiresDNSSECValidation") == true)
  }

  @Test(
    arguments: [
      (0, 0, 0), (1, 40, 6), (2, 34, 6), (3, 8, 2), (4, 46, 6), (6, 18, 6), (8, 26, 6), (9, 32, 6), (11, 40, 6), (77, 0, 0),
    ] as [(UInt, UInt8, Int)])
  func serviceTypesHaveCodePoints(_ type: UInt, _ codePoint: UInt8, _ priority: Int) {
    let traffic = TrafficClass(serviceType: type)
    #expect(traffic.codePoint == codePoint)
    // The two bits below are the network's own (RFC 3168).
    #expect(traffic.octet == codePoint * 4)
    #expect(traffic.queuePriority == priority)
    #expect((traffic == .standard) == (codePoint == 0))
  }
}
