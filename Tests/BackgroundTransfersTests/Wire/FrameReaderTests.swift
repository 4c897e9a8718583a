import BackgroundTransfers
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct FrameReaderTests {
  private let bodies = [[UInt8(ascii: "a")], [UInt8](repeating: 1, count: 300), [0, 0, 0, 0]]

  @Test(arguments: [1, 2, 3, 7, 1000]) func messagesAreTheSameHoweverTheirBytesCome(_ size: Int) {
    let bytes = bodies.flatMap(BarePeer.frame)
    var reader = FrameReader(limit: 300)
    var messages: [Data] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      messages += Self.take(bytes[start..<min(start + size, bytes.count)], &reader)
    }
    #expect(messages == bodies.map { Data($0) })
    #expect(reader.isBetweenMessages)
  }

  @Test func lengthsOutsideTheLimitsAreDamageAndEarlierMessagesCount() {
    for length: [UInt8] in [[0, 0, 0, 0], [0, 0, 1, 45], [255, 255, 255, 255]] {
      var reader = FrameReader(limit: 300)
      #expect(Self.take(BarePeer.frame([9]) + length + BarePeer.frame([8]), &reader) == [Data([9])])
      #expect(reader.damage != nil && !reader.isBetweenMessages)
      #expect(Self.take(BarePeer.frame([7]), &reader) == [])
    }
  }

  @Test func partOfAMessageIsNoPlaceToEnd() {
    let frame = BarePeer.frame([1, 2, 3])
    for count in 1..<frame.count {
      var reader = FrameReader(limit: 300)
      #expect(Self.take(frame.prefix(count), &reader) == [])
      #expect(!reader.isBetweenMessages && reader.damage == nil)
    }
  }

  @Test func emptyReadChangesNothing() {
    var reader = FrameReader()
    #expect(Self.take([], &reader) == [])
    #expect(reader.isBetweenMessages)
  }

  private static func take(_ bytes: some Collection<UInt8>, _ reader: inout FrameReader) -> [Data] {
    Array(bytes).withUnsafeBytes { reader.take($0) }
  }
}
