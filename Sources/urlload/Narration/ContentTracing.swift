import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import URLLoadingSystem

/// Adds the bodies of a session's loads to the trace, and keeps the process's own recording of transfers working.
final class ContentTracing: TransferRecording {
  private let narration: Narration

  init(_ narration: Narration) { self.narration = narration }

  func observer(of task: RecordedTask, _ context: LoadContext) -> (any HTTPTransport.LoadObserver & ContentObserver)? {
    let recorder = TransferRecorders.ofProcess?.observer(of: task, context)
    context.contents = TracedContents(narration, task: task.identifier, next: context.contents)
    return recorder
  }
}

/// Traces the bodies of one load. Called on the session's event loop.
private final class TracedContents: ContentObserver {
  private let narration: Narration
  private let task: Int
  /// The observer that was set before, which gets all calls too.
  private let next: (any ContentObserver)?

  init(_ narration: Narration, task: Int, next: (any ContentObserver)?) {
    (self.narration, self.task, self.next) = (narration, task, next)
  }

  func sent(body: ByteBuffer) {
    narration.trace?.dump(Data(body.readableBytesView), as: "=> Send data")
    next?.sent(body: body)
  }

  func received(encoded body: ByteBuffer) {
    narration.traces(Data(body.readableBytesView), of: task)
    next?.received(encoded: body)
  }

  func received(informational head: ResponseHead) {
    narration.traces(head)
    next?.received(informational: head)
  }

  func received(body: ByteBuffer) { next?.received(body: body) }
  func exchanged(_ message: ObservedMessage) {
    narration.trace?.dump(Data(message.bytes.readableBytesView), as: message.isSent ? "=> Send data" : "<= Recv data")
    next?.exchanged(message)
  }
}
