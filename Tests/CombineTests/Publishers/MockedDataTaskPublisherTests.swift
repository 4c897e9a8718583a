#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingSystem

  /// What OpenCombine's tests of its own `DataTaskPublisher`, which run against Apple's too, ask for: told again for this one.
  @Suite(.timeLimit(.minutes(10))) struct MockedDataTaskPublisherTests {
    private struct OtherError: Error {}

    private let url = URL(string: "https://example.com/start")!
    private let request = URLRequest(
      url: URL(string: "https://example.com/other")!, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 42)
    private let data = Data("test data".utf8)
    private let response = URLResponse(
      url: URL(string: "https://example.com")!, mimeType: "text/markdown", expectedContentLength: 300, textEncodingName: "utf-8")
    private let error = URLError(.cannotParseResponse, userInfo: ["key": 1])
    private let session = MockSession.make(MockDataTask.make())
    private var task: MockDataTask { session.task }

    /// The recorder of a subscription whose task completes, three times over, with this.
    private func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Recorder<
      URLSession.DataTaskPublisher.Output, URLError
    > {
      let recorder = session.dataTaskPublisher(for: request).record(demand: .max(1))
      #expect(recorder.subscriptions == ["DataTaskPublisher"])
      #expect(task.calls == [.resume])
      #expect(session.requests == [request])
      for _ in 0..<3 { session.complete(data, response, error) }
      #expect(task.calls == [.resume])
      #expect(session.requests == [request])
      #expect(recorder.endings == 1)
      return recorder
    }

    @Test func aURLBecomesARequest() {
      let publisher = session.dataTaskPublisher(for: url)
      #expect(publisher.request == URLRequest(url: url))
      #expect(publisher.session === session)
    }

    @Test func aRequestIsKept() {
      #expect(session.dataTaskPublisher(for: request).request == request)
    }

    @Test func dataAndResponseAreAValue() {
      let recorder = outcome(data, response, nil)
      #expect(recorder.values.map(\.data) == [data])
      #expect(recorder.values.first?.response === response)
      #expect(recorder.hasFinished)
    }

    @Test func aResponseWithoutDataIsAValueWithEmptyData() {
      let recorder = outcome(nil, response, nil)
      #expect(recorder.values.map(\.data) == [Data()])
      #expect(recorder.hasFinished)
    }

    @Test func neitherResponseNorErrorIsAnUnknownError() {
      #expect(outcome(nil, nil, nil).failure?.code == .unknown)
    }

    @Test func dataAloneIsAnUnknownError() {
      let recorder = outcome(data, nil, nil)
      #expect(recorder.failure?.code == .unknown)
      #expect(recorder.values.isEmpty)
    }

    @Test(arguments: [false, true], [false, true]) func aURLErrorIsTheFailure(hasData: Bool, hasResponse: Bool) {
      let recorder = outcome(hasData ? data : nil, hasResponse ? response : nil, error)
      #expect(recorder.failure == error)
      #expect(recorder.values.isEmpty)
    }

    @Test(arguments: [false, true], [false, true]) func anotherErrorIsAnUnknownOneAboveIt(hasData: Bool, hasResponse: Bool) {
      let recorder = outcome(hasData ? data : nil, hasResponse ? response : nil, OtherError())
      #expect(recorder.failure?.code == .unknown)
      #expect(recorder.failure?.userInfo[NSUnderlyingErrorKey] is OtherError)
      #expect(recorder.values.isEmpty)
    }

    @Test func anNSErrorOfTheDomainKeepsItsCode() {
      let recorder = outcome(nil, nil, NSError(domain: NSURLErrorDomain, code: NSURLErrorBadServerResponse, userInfo: ["key": "value"]))
      #expect(recorder.failure?.code == .badServerResponse)
    }

    @Test func eachDemandResumesTheOneTaskAndCancellingSilencesIt() {
      let recorder = session.dataTaskPublisher(for: request).record(demand: .none)
      #expect(task.calls.isEmpty && session.requests.isEmpty)
      session.complete(data, response, nil)
      recorder.request(.max(2))
      recorder.request(.max(1))
      #expect(task.calls == [.resume, .resume])
      #expect(session.requests == [request])
      recorder.cancel()
      session.complete(data, response, nil)
      #expect(task.calls == [.resume, .resume, .cancel])
      #expect(recorder.values.isEmpty && recorder.endings == 0)
    }

    @Test func cancellingTwiceCancelsTheTaskOnce() {
      let recorder = Recorder<URLSession.DataTaskPublisher.Output, URLError>(demand: .none)
      nonisolated(unsafe) var subscription: (any Subscription)?
      let publisher = session.dataTaskPublisher(for: request).handleEvents(receiveSubscription: { subscription = $0 })
      publisher.subscribe(recorder)
      for _ in 0..<2 {
        subscription?.request(.max(1))
        subscription?.cancel()
      }
      #expect(task.calls == [.resume, .cancel])
      #expect(session.requests == [request])
      #expect(recorder.values.isEmpty && recorder.endings == 0)
    }

    @Test func theSubscriptionDescribesItself() {
      nonisolated(unsafe) var subscription: (any Subscription)?
      let recorder = session.dataTaskPublisher(for: url).handleEvents(receiveSubscription: { subscription = $0 }).record(demand: .none)
      #expect(recorder.endings == 0)
      #expect(subscription.map { String(describing: $0) } == "DataTaskPublisher")
      let labels = subscription.map { Mirror(reflecting: $0).children.compactMap(\.label) }
      #expect(labels == ["task", "downstream", "parent", "demand"])
    }
  }
#endif
