import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// When observations end, what they keep, and what can be observed.
@Suite(.timeLimit(.minutes(10))) struct ObservationLifeTests {
  private let session = URLSession(configuration: .ephemeral)
  private let url = URL(filePath: "/")

  @Test func invalidatedObservationIsToldNothing() {
    let task = session.dataTask(with: url)
    let (log, observation) = task.log(\.priority)
    task.priority = 1
    observation.invalidate()
    observation.invalidate()
    task.priority = 0
    #expect(log.news == [1])
    session.invalidateAndCancel()
  }

  @Test func releasedObservationIsToldNothing() {
    let task = session.dataTask(with: url)
    let log = ChangeLog<Float>()
    var observation: NSKeyValueObservation? = task.observe(\.priority, options: .new) { _, change in log.note(change) }
    task.priority = 1
    #expect(observation != nil)
    observation = nil
    task.priority = 0
    #expect(log.news == [1])
    session.invalidateAndCancel()
  }

  @Test func observationThatEndsInItsHandlerIsToldNothingMore() {
    let task = session.dataTask(with: url)
    let held = Mutex<NSKeyValueObservation?>(nil)
    let log = ChangeLog<Float>()
    let observation = task.observe(\.priority, options: [.old, .new, .prior]) { _, change in
      log.note(change)
      held.withLock { $0 }?.invalidate()
    }
    held.withLock { $0 = observation }
    task.priority = 1
    #expect(log.entries.map(\.isPrior) == [true])
    held.withLock { $0 = nil }
    session.invalidateAndCancel()
  }

  @Test func handlerIsReleasedWithItsObservation() async throws {
    let leaks = LeakCheck()
    let task = session.dataTask(with: url)
    func observe() -> NSKeyValueObservation {
      let captured = Captured()
      leaks.track(captured)
      return task.observe(\.state) { _, _ in _ = captured }
    }
    let observation = observe()
    #expect(leaks.alive.count == 1)
    observation.invalidate()
    #expect(leaks.alive.isEmpty)
    do { _ = observe() }
    #expect(leaks.alive.isEmpty)
    session.invalidateAndCancel()
  }

  @Test func observationDoesNotKeepTheTask() async throws {
    let leaks = LeakCheck()
    let session = URLSession(configuration: .ephemeral)
    func observe() -> NSKeyValueObservation {
      let task = session.dataTask(with: url)
      leaks.track(task)
      return task.observe(\.state) { _, _ in }
    }
    let observation = observe()
    session.invalidateAndCancel()
    try await leaks.verify()
    observation.invalidate()
  }

  @Test func everyKindOfTaskIsObservedThroughItsOwnClass() {
    let request = URLRequest(url: url)
    let download = session.downloadTask(with: request).log(\.priority, options: [.initial, .new])
    let upload = session.uploadTask(with: request, from: Data()).log(\.priority, options: [.initial, .new])
    let webSocket = session.webSocketTask(with: url).log(\.priority, options: [.initial, .new])
    let stream = session.streamTask(withHostName: "localhost", port: 1).log(\.priority, options: [.initial, .new])
    let plain = (session.dataTask(with: url) as URLSessionTask).log(\URLSessionTask.priority, options: [.initial, .new])
    for log in [download.log, upload.log, webSocket.log, stream.log, plain.log] { #expect(log.news == [0.5]) }
    session.invalidateAndCancel()
  }

  @Test func everyDocumentedPropertyOfATaskIsObserved() {
    let task = session.dataTask(with: url)
    var observations: [NSKeyValueObservation] = []
    let names = Mutex<[String]>([])
    func add<Value: Sendable>(_ name: String, _ keyPath: KeyPath<URLSessionDataTask, Value>) {
      observations.append(task.observe(keyPath, options: [.old, .new]) { _, _ in names.withLock { $0.append(name) } })
    }
    add("state", \.state)
    add("priority", \.priority)
    add("taskDescription", \.taskDescription)
    add("earliestBeginDate", \.earliestBeginDate)
    add("prefersIncrementalDelivery", \.prefersIncrementalDelivery)
    add("toSend", \.countOfBytesClientExpectsToSend)
    add("toReceive", \.countOfBytesClientExpectsToReceive)
    add("isCancelled", \.progress.isCancelled)
    task.priority = 1
    task.taskDescription = "x"
    task.earliestBeginDate = Date()
    task.prefersIncrementalDelivery = false
    task.countOfBytesClientExpectsToSend = 1
    task.countOfBytesClientExpectsToReceive = 1
    #expect(
      names.withLock { $0 } == [
        "priority", "taskDescription", "earliestBeginDate", "prefersIncrementalDelivery", "toSend", "toReceive",
      ])
    #expect(observations.count == 8)
    session.invalidateAndCancel()
  }

  @Test func propertiesThatNeverChangeHaveTheirInitialCall() {
    let task = session.dataTask(with: url)
    #expect(task.log(\.taskIdentifier, options: [.initial, .new]).log.news == [task.taskIdentifier])
    #expect(task.log(\.originalRequest, options: [.initial, .new]).log.news.map { $0?.url } == [url])
    #expect(task.log(\.progress, options: [.initial, .new]).log.news.map { $0 === task.progress } == [true])
    session.invalidateAndCancel()
  }

  @Test func keyPathThatCannotBeObservedHasItsInitialCallAlone() {
    let task = session.dataTask(with: url)
    let (log, observation) = task.log(\.currentRequest?.url, options: [.initial, .new])
    #expect(log.news == [url])
    observation.invalidate()
    session.invalidateAndCancel()
  }

  @Test func sessionsTellDescriptionAndTheReleaseOfTheirDelegate() async throws {
    final class Delegate: NSObject, URLSessionDelegate {
      let end = Signal()
      func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { end.send() }
    }
    let delegate = Delegate()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let description = session.log(\.sessionDescription, options: [.initial, .old, .new])
    let released = Signal()
    let observation = session.observe(\.delegate, options: [.old, .new]) { session, change in
      #expect(change.oldValue as? NSObject === delegate)
      #expect(session.delegate == nil)
      released.send()
    }
    session.sessionDescription = "a"
    #expect(description.log.news == [nil, "a"])
    session.finishTasksAndInvalidate()
    await delegate.end.wait()
    await released.wait()
    observation.invalidate()
  }
}
