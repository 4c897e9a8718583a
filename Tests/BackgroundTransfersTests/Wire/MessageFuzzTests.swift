import BackgroundTransfers
import Foundation
import MessageSamples
import Testing

/// A peer that sends anything. Each message is decoded or refused; what would trap, end the test program.
@Suite(.timeLimit(.minutes(10))) struct MessageFuzzTests {
  private static let parts = 4
  private static let count = ProcessInfo.processInfo.environment["FUZZ_MESSAGES"].flatMap { Int($0) } ?? 100_000

  @Test(arguments: 0..<parts) func mutatedMessagesAreDecodedOrRefused(_ part: Int) throws {
    var numbers = MessageMutations(seed: UInt64(part) &* 7919 &+ 16)
    let samples = try SampleMessages.app.map { [UInt8](try MessageCoding.encode($0)) }
    var (decoded, refused) = (0, 0)
    while decoded + refused < Self.count / Self.parts {
      let message = numbers.mutated(samples)
      do {
        _ = try MessageCoding.decode(AppMessage.self, from: Data(message))
        decoded += 1
      } catch {
        #expect(error.reason == .badMessage)
        refused += 1
      }
    }
    // Both ways out are taken, or the mutations are of no use.
    #expect(decoded > 0 && refused > 0)
  }

  @Test(arguments: 0..<parts) func mutatedStreamsEndOrGoOn(_ part: Int) throws {
    var numbers = MessageMutations(seed: UInt64(part) &* 104_729 &+ 1)
    let samples = try SampleMessages.app.map { [UInt8](try MessageCoding.encode($0)) }
    var (messages, damaged) = (0, 0)
    for _ in 0..<Self.count / Self.parts / 10 {
      var stream = (0..<3).flatMap { _ in BarePeer.frame(samples[numbers.below(samples.count)]) }
      for _ in 0..<numbers.below(3) { numbers.mutate(&stream, samples) }
      var (reader, start) = (FrameReader(), 0)
      while start < stream.count {
        let end = min(stream.count, start + 1 + numbers.below(200))
        for message in stream[start..<end].withUnsafeBytes({ reader.take($0) }) {
          _ = try? MessageCoding.decode(AppMessage.self, from: message)
          messages += 1
        }
        start = end
      }
      if reader.damage != nil { damaged += 1 }
    }
    #expect(messages > 0 && damaged > 0)
  }
}
