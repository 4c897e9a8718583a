import HTTPTransport
import Testing

@Suite struct PeerDecidersTests {
  private final class Delegate {}

  @Test func numberBelongsToOneObjectForever() {
    let deciders = PeerDeciders()
    let kept = Delegate()
    let first = deciders.number(of: kept)
    var numbers: Set<Int> = [first]
    // Most of them have the memory of a released one.
    for _ in 0..<1000 {
      let other = Delegate()
      let number = deciders.number(of: other)
      #expect(numbers.insert(number).inserted)
      #expect(deciders.number(of: other) == number)
    }
    #expect(deciders.number(of: kept) == first)
    #expect(deciders.number(of: nil) != deciders.number(of: nil))
  }

  @Test func exceptionServesTheDelegateThatMadeIt() {
    let exception = PeerAcceptance.overridden(by: 1)
    #expect(PeerAcceptance.asked(1).contains(exception))
    #expect(!PeerAcceptance.asked(2).contains(exception) && !PeerAcceptance.unasked.contains(exception))
    #expect(PeerAcceptance.asked(2).contains(.confirmed) && PeerAcceptance.unasked.contains(.confirmed))
    #expect(!PeerAcceptance.asked(1).contains(.evaluated) && PeerAcceptance.unasked.contains(.evaluated))
    for takes in [PeerAcceptance.unasked, .asked(1)] { #expect(takes.contains(.unneeded)) }
  }
}
