import Dispatch
import Foundation
import LoadingModel
import Testing

@testable import urlload

/// What is told of outputs by the end of a load and by that of the process.
@Suite(.timeLimit(.minutes(10))) struct UnfinishedOutputsTests {
  private final class FailedOutput: UnfinishedOutput {
    private let message: String?
    init(_ message: String?) { self.message = message }
    func discard() -> String? { message }
    func finishOverwriting() {}
  }

  private let outputs = UnfinishedOutputs()
  private let written = Locked<[String]>([])

  private func discard() -> Bool {
    outputs.discard(waits: false) { [written] in written.value += [$0] }
    return outputs.finishTelling(within: .seconds(600))
  }

  @Test func endOfTheProcessWaitsForAMessageThatIsBeingWritten() {
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    outputs.add(FailedOutput("full"), 0)
    Thread.detachNewThread { [outputs, written] in
      outputs.tell("full", isRepeated: false) {
        begun.signal()
        mayEnd.wait()
        written.value += ["by the load"]
      }
    }
    begun.wait()
    outputs.discard(waits: true) { [written] in written.value += [$0] }
    // Nor longer than it is let.
    #expect(!outputs.finishTelling(within: .milliseconds(1)))
    mayEnd.signal()
    #expect(outputs.finishTelling(within: .seconds(600)))
    #expect(written.value == ["by the load"])
  }

  @Test func messageIsWrittenOnceWhicheverEndComesFirst() {
    outputs.add(FailedOutput("full"), 0)
    #expect(discard() && discard())
    outputs.tell("full", isRepeated: false) { written.value += ["again"] }
    #expect(written.value == ["full"])
    outputs.tell("full", isRepeated: true) { written.value += ["of another load"] }
    #expect(written.value == ["full", "of another load"])
  }

  @Test func failureOfAnEndedLoadIsKeptUntilItIsTold() {
    for index in 0..<5 { outputs.add(FailedOutput(nil), index) }
    outputs.note(ToolFailure(.writeFailed, "full"), 3)
    outputs.note(ToolFailure(.writeFailed, "gone"), 0)
    outputs.note(ToolFailure(.timedOut, "late"), 1)
    outputs.note(nil, 2)
    // As where the reader of the output has closed it.
    outputs.note(ToolFailure(.writeFailed, ""), 4)
    outputs.remove(0)
    outputs.add(FailedOutput("broken"), 5)
    outputs.note(ToolFailure(.writeFailed, "broken; go on"), 5)
    #expect(discard())
    #expect(written.value == ["full", "broken; go on"])
  }
}
