#if Combine
  import Combine
  import Foundation
  import Testing

  /// What this module adds to OpenCombine's operators, or puts in their place.
  @Suite(.timeLimit(.minutes(10))) struct OperatorTests {
    /// The lines printed, in one text.
    private final class Text: TextOutputStream {
      var text = ""
      func write(_ string: String) { text += string }
    }

    @Test func printWritesTheLinesThatAppleDocuments() {
      let text = Text()
      let recorder = (1...2).publisher.print("Logged a message", to: text).record()
      #expect(recorder.values == [1, 2])
      #expect(
        text.text == """
          Logged a message: receive subscription: (1...2)
          Logged a message: request unlimited
          Logged a message: receive value: (1)
          Logged a message: receive value: (2)
          Logged a message: receive finished

          """)
    }

    @Test func printTellsDemandThatIsMadeOnAValue() {
      let text = Text()
      let recorder = (1...2).publisher.print(to: text).record(demand: .max(1)) { _, value in value == 1 ? .max(1) : .none }
      recorder.cancel()
      #expect(
        text.text == """
          receive subscription: (1...2)
          request max: (1)
          receive value: (1)
          request max: (1) (synchronous)
          receive value: (2)
          receive finished
          receive cancel

          """)
    }

    @Test func resultsAndOptionalsHavePublishers() {
      let success: Result<Int, URLError>.Publisher = Result<Int, URLError>.success(1).publisher
      #expect(success.record().values == [1])
      #expect(Result<Int, URLError>.failure(URLError(.timedOut)).publisher.record().failure?.code == .timedOut)
      let some: Optional<Int>.Publisher = Optional(1).publisher
      #expect(some.record().values == [1])
      let none: Int? = nil
      #expect(none.publisher.record().hasFinished)
    }

    @Test func valuesAreCollectedByTime() {
      let scheduler = ManualScheduler()
      let subject = PassthroughSubject<Int, Never>()
      let recorder = subject.collect(.byTime(scheduler, 10)).record()
      subject.send(1)
      subject.send(2)
      scheduler.advance(by: 9)
      #expect(recorder.values.isEmpty)
      scheduler.advance(by: 1)
      #expect(recorder.values == [[1, 2]])
      scheduler.advance(by: 20)
      subject.send(3)
      subject.send(completion: .finished)
      #expect(recorder.values == [[1, 2], [3]])
      #expect(recorder.hasFinished)
    }

    @Test func valuesAreCollectedByTimeOrCount() {
      let scheduler = ManualScheduler()
      let subject = PassthroughSubject<Int, URLError>()
      let recorder = subject.collect(.byTimeOrCount(scheduler, 10, 2)).record()
      for number in 1...5 { subject.send(number) }
      #expect(recorder.values == [[1, 2], [3, 4]])
      scheduler.advance(by: 10)
      #expect(recorder.values == [[1, 2], [3, 4], [5]])
      subject.send(6)
      subject.send(completion: .failure(URLError(.timedOut)))
      #expect(recorder.values.count == 3 && recorder.failure?.code == .timedOut)
    }

    /// A value that sends when it is released.
    private final class Token {
      private let subject: PassthroughSubject<Token?, Never>

      init(_ subject: PassthroughSubject<Token?, Never>) { self.subject = subject }

      deinit { subject.send(nil) }
    }

    @Test(.timeLimit(.minutes(1))) func collectedValuesMaySendWhenACancellationReleasesThem() async throws {
      let counts = try await onOwnThread { () -> [Int] in
        let subject = PassthroughSubject<Token?, Never>()
        let recorder = subject.collect(.byTime(ManualScheduler(), 10)).map(\.count).record()
        subject.send(Token(subject))
        recorder.cancel()
        return recorder.values
      }
      #expect(counts == [])
    }

    @Test func codersAreTopLevelCoders() throws {
      struct Item: Codable, Equatable { var name: String }
      let items = [Item(name: "one"), Item(name: "two")]
      let json = items.publisher.encode(encoder: JSONEncoder()).decode(type: Item.self, decoder: JSONDecoder()).record()
      let list = items.publisher.encode(encoder: PropertyListEncoder()).decode(type: Item.self, decoder: PropertyListDecoder()).record()
      #expect(json.values == items && list.values == items)
    }

    @Test func valuesAreAnAsyncSequence() async {
      var sum = 0
      for await number in (1...10).publisher.values { sum += number }
      #expect(sum == 55)
    }
  }
#endif
