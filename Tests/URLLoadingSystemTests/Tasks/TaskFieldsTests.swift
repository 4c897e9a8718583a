import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct TaskFieldsTests {
  private func fields(_ delivery: TaskDelivery = .delegate) -> URLSessionTask.Fields {
    var fields = URLSessionTask.Fields(delivery: delivery, chain: DelegateChain(), prefersIncrementalDelivery: true)
    fields.state = .running
    fields.lifecycle = .starting
    return fields
  }

  private func isEnded(_ fields: URLSessionTask.Fields) -> Bool {
    if case .ended = fields.lifecycle { fields.state == .completed } else { false }
  }

  @Test func endAnswersThoseWhoWaitForResumeDataOnce() {
    var fields = fields()
    fields.resumeDataHandlers = [{ _ in }, { _ in }]
    let answered = fields.complete(URLError(.timedOut), nil)
    #expect(answered.count == 2)
    #expect(isEnded(fields))
    #expect((fields.error as? URLError)?.code == .timedOut)
    let again = fields.complete(nil, nil)
    #expect(again.isEmpty)
  }

  @Test func endReleasesTheCompletionHandler() {
    var fields = fields(.completion { _, _, _ in })
    _ = fields.complete(nil, HeaderFields([("Digest", "1")]))
    if case .delegate = fields.delivery {} else { Issue.record("it delivers to \(fields.delivery)") }
    #expect(fields.trailers?.contains("Digest") == true)
  }

  @Test func successorTakesWhatTheLoadHasAndKeepsItsOwnProgress() {
    var (old, new) = (fields(), fields())
    old.received = 5
    old.taskDescription = "old"
    new.progress = nil
    let taken = old.handOver()
    #expect(isEnded(old))
    #expect(old.received == 5)
    let isCancelled = new.takeOver(taken)
    #expect(!isCancelled)
    #expect((new.received, new.taskDescription, new.state) == (5, "old", .running))
    #expect(!new.prefersIncrementalDelivery)
  }

  @Test func successorThatIsCancelledStaysSo() {
    var (old, new) = (fields(), fields())
    new.state = .canceling
    let isCancelled = new.takeOver(old.handOver())
    #expect(isCancelled)
    #expect(new.state == .canceling)
  }
}
