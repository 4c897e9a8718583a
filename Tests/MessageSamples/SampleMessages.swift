import BackgroundTransfers
import Foundation

/// One message of each kind that an app sends.
package enum SampleMessages {
  package static let app: [AppMessage] = [
    .attach(Attachment(terms: terms, answersChallenges: true, answersDelays: false, wasLaunched: true, process: 4711)),
    .create(order), .resume(task: 1), .suspend(task: 2), .cancel(task: 3, wantsResumeData: true), .change(task: 4, change),
    .taken(events: [1, 2, .max]), .answer(question: 5, ChallengeReply(disposition: 0, credential: .trust)),
    .answer(
      question: 6,
      ChallengeReply(disposition: 0, credential: .password(user: "ada", password: "p\u{1F511}\"\\{[", persistence: 2))),
    .answer(
      question: 7,
      ChallengeReply(disposition: 0, credential: .identity(certificates: [Data([1, 2])], key: Data([3]), persistence: 1))),
    .begin(question: 8, .proceed), .begin(question: 9, .replace(request: Data(repeating: 7, count: 40))), .begin(question: 10, .cancel),
    .invalidate(cancelling: true), .launchHandled, .tool(.list), .tool(.watch(nil)), .tool(.log(3, limit: 100)), .tool(.status),
  ]

  private static var terms: SessionTerms {
    SessionTerms(
      app: .init(name: "notes", data: "/d", caches: "/c", settings: "/s"), identifier: "sync", configuration: Data([0, 255]),
      resourceTimeout: 604_800, launch: .command(["/usr/bin/notes", "--background"], folder: nil, environment: ["LANG": "C"]))
  }

  private static var order: TransferOrder {
    var order = TransferOrder(task: 1, kind: .upload, request: Data("request".utf8), shownURL: "https://example.org/upload")
    order.source = SourceFile(path: "/home/ada/file", device: 1, inode: .max, size: 5, modified: -1)
    order.earliestBegin = Date(timeIntervalSinceReferenceDate: 1234.5678)
    order.permissions = 0o640
    return order
  }

  private static var change: TransferChange {
    var change = TransferChange()
    change.priority = 0.75
    change.expectsToSend = 12
    return change
  }
}
