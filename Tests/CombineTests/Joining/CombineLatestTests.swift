#if Combine
  import Combine
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(10))) struct CombineLatestTests {
    @Test func eachValueComesWithTheLatestOfTheOther() {
      let (numbers, letters) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
      let recorder = numbers.combineLatest(letters) { "\($0)\($1)" }.record()
      numbers.send(1)
      numbers.send(2)
      letters.send("a")
      letters.send("b")
      numbers.send(3)
      #expect(recorder.values == ["2a", "2b", "3b"])
      numbers.send(completion: .finished)
      letters.send("c")
      #expect(recorder.values.last == "3c" && recorder.endings == 0)
      letters.send(completion: .finished)
      #expect(recorder.hasFinished && recorder.endings == 1)
    }

    @Test func threeAndFourAreCombined() {
      let subject = CurrentValueSubject<Int, Never>(1)
      let three = subject.combineLatest(Just(10), Just(100)) { $0 + $1 + $2 }.record()
      let four = subject.combineLatest(Just(10), Just(100), Just(1000)) { $0 + $1 + $2 + $3 }.record()
      subject.send(2)
      #expect(three.values == [111, 112])
      #expect(four.values == [1111, 1112])
    }

    @Test func itEndsWhenOneEndsThatHadNoValue() {
      let numbers = PassthroughSubject<Int, Never>()
      let recorder = numbers.combineLatest(Empty<Int, Never>()).map { $0 + $1 }.record()
      #expect(recorder.hasFinished && recorder.values.isEmpty)
    }

    @Test func whatIsNotDemandedIsReplacedByWhatIsNewer() {
      let (one, other) = (CurrentValueSubject<Int, Never>(0), CurrentValueSubject<Int, Never>(0))
      let recorder = one.combineLatest(other).map { [$0, $1] }.record(demand: .max(1))
      #expect(recorder.values == [[0, 0]])
      for number in 1...3 { one.send(number) }
      recorder.request(.max(1))
      #expect(recorder.values == [[0, 0], [3, 0]])
    }

    /// A value that tells another upstream of the join when it is released.
    private final class Token {
      let number: Int
      private let released: PassthroughSubject<Int, Never>

      init(_ number: Int, _ released: PassthroughSubject<Int, Never>) { (self.number, self.released) = (number, released) }

      deinit { released.send(number) }
    }

    @Test(.timeLimit(.minutes(1))) func aReplacedValueMaySendWhenItIsReleased() async throws {
      let values = try await onOwnThread { () -> [String] in
        let (tokens, released) = (PassthroughSubject<Token, Never>(), PassthroughSubject<Int, Never>())
        let recorder = tokens.combineLatest(released) { "\($0.number) \($1)" }.record()
        released.send(0)
        tokens.send(Token(1, released))
        tokens.send(Token(2, released))
        defer { recorder.cancel() }
        return recorder.values
      }
      #expect(values == ["1 0", "2 0", "2 1"])
    }

    @Test func aFailureEndsIt() {
      let subject = PassthroughSubject<Int, URLError>()
      let recorder = subject.combineLatest(Just(1).setFailureType(to: URLError.self)).map { $0 + $1 }.record()
      subject.send(completion: .failure(URLError(.timedOut)))
      #expect(recorder.failure?.code == .timedOut && recorder.endings == 1)
    }

    @Test func publishedPropertiesAreCombined() {
      final class Form: ObservableObject {
        @Published var name = ""
        @Published var age = 0
      }
      let form = Form()
      let recorder = form.$name.combineLatest(form.$age).map { !$0.isEmpty && $1 >= 18 }.removeDuplicates().record()
      form.name = "Ada"
      form.age = 36
      #expect(recorder.values == [false, true])
    }
  }
#endif
