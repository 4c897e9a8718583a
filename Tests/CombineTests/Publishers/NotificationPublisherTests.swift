#if Combine
  import Combine
  import Foundation
  import Testing
  import URLLoadingTestKit

  @Suite(.timeLimit(.minutes(10))) struct NotificationPublisherTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("happened")

    @Test func postsArePublishedOnThePostingThread() {
      let recorder = center.publisher(for: name).map { $0.userInfo?["number"] as? Int ?? 0 }.record()
      for number in 1...3 { center.post(name: name, object: nil, userInfo: ["number": number]) }
      center.post(name: Notification.Name("other"), object: nil)
      #expect(recorder.values == [1, 2, 3])
      #expect(recorder.endings == 0)
    }

    @Test func anObjectsPostsAloneArePublished() {
      let (one, other) = (NSObject(), NSObject())
      let recorder = center.publisher(for: name, object: one).map { _ in 1 }.record()
      center.post(name: name, object: other)
      center.post(name: name, object: one)
      #expect(recorder.values == [1])
    }

    @Test func whatIsNotDemandedIsDropped() {
      let recorder = center.publisher(for: name).map { $0.userInfo?["number"] as? Int ?? 0 }.record(demand: .none)
      for number in 1...6 {
        if number == 2 || number == 5 { recorder.request(.max(1)) }
        center.post(name: name, object: nil, userInfo: ["number": number])
      }
      #expect(recorder.values == [2, 5])
    }

    @Test func nothingIsPublishedAfterCancelling() {
      let recorder = center.publisher(for: name).map { _ in 1 }.record { recorder, _ in
        recorder.cancel()
        return .none
      }
      for _ in 0..<3 { center.post(name: name, object: nil) }
      #expect(recorder.values == [1])
    }

    @Test func aSubscriberMayPostWhileItReceives() {
      let (center, name) = (center, name)
      let recorder = center.publisher(for: name).map { _ in 1 }.record { recorder, _ in
        if recorder.values.count < 3 { center.post(name: name, object: nil) }
        return .none
      }
      center.post(name: name, object: nil)
      #expect(recorder.values == [1, 1, 1])
    }

    @Test func threadsThatPostAtOnceCallTheSubscriberOneByOne() async throws {
      let (center, name) = (center, name)
      nonisolated(unsafe) var count = 0
      let handle = center.publisher(for: name).sink { _ in count += 1 }
      await withTaskGroup { group in
        for _ in 0..<8 { group.addTask { for _ in 0..<500 { center.post(name: name, object: nil) } } }
      }
      handle.cancel()
      #expect(count == 4000)
    }

    @Test func publishersOfTheSameAreEqual() {
      let object = NSObject()
      #expect(center.publisher(for: name, object: object) == center.publisher(for: name, object: object))
      #expect(center.publisher(for: name, object: object) != center.publisher(for: name))
    }

    @Test func subscriptionsThatAreReleasedStopObserving() async throws {
      let leaks = LeakCheck()
      do {
        let recorder = center.publisher(for: name).map { _ in 1 }.record()
        leaks.track(recorder, "subscriber")
        recorder.release()
      }
      center.post(name: name, object: nil)
      try await leaks.verify()
    }

    @Test func changedCookiesArePublished() async throws {
      let storage = HTTPCookieStorage()
      let recorder = NotificationCenter.default.publisher(for: .NSHTTPCookieManagerCookiesChanged, object: storage).map { _ in 1 }.record()
      let cookie = try #require(
        HTTPCookie(properties: [.name: "name", .value: "value", .domain: "example.com", .path: "/"]))
      storage.setCookie(cookie)
      try await recorder.received(1)
    }
  }
#endif
