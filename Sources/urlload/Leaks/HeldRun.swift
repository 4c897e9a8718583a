import Foundation
import URLLoadingSystem

/// `urlload leaks PID`: shows what URL loading holds in a running process that uses the library.
struct HeldRun {
  let process: Int32
  let options: LeaksCommand

  /// Asks the process, and writes the report.
  /// - Returns: The exit code.
  func status() -> Int32 {
    LeaksFailure.tellingFailures {
      let output = try LeaksOutput(path: options.output)
      let answer = try ask()
      output.write(options.json ? JSONLine.text(answer) + "\n" : LeaksOutput.printable(text(answer)))
      if let failure = output.failure { throw failure }
      return answer.held.contains(where: \.isLeaked) ? 1 : 0
    }
  }

  private func ask() throws(LeaksFailure) -> HeldDoor.Message {
    do throws(HeldDoor.Refusal) { return try HeldDoor.ask(process) } catch { throw LeaksFailure(error, process: process) }
  }

  private func text(_ answer: HeldDoor.Message) -> String {
    let text = HeldDoor.text(answer.held, process: process, name: ProgramName.name(of: process) ?? "process")
    guard !answer.isRecorded else { return text }
    return text + "\nStart it with \(HeldDoor.variable)=1 to see also where each was made, answers that are owed, and observations.\n"
  }
}

extension LeaksFailure {
  /// The exit code if there is no such process, as with `urlload memory`.
  private static let missing: Int32 = 1

  init(_ refusal: HeldDoor.Refusal, process: Int32) {
    let text = refusal.text(process: process)
    switch refusal {
    case .noProcess: self.init(LeaksFailure.missing, text)
    case .notPermitted, .silent: self.init(LeaksFailure.unreadable, text)
    case .notListening:
      self.init(LeaksFailure.unreadable, text + "; 'urlload leaks -- COMMAND' examines the heap of any program")
    }
  }
}
