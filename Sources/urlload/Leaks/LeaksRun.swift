import Foundation
import LoadingModel
import ProcessMemory

/// One run of a command whose heap is examined.
final class LeaksRun {
  private let options: LeaksCommand
  private var hasFindings = false
  private var examinations = 0
  private var failure: LeaksFailure?

  init(_ options: LeaksCommand) { self.options = options }

  /// Runs the command to its end, and writes the reports.
  /// - Returns: The exit code.
  func status() -> Int32 {
    LeaksFailure.tellingFailures {
      let output = try LeaksOutput(path: options.output)
      let ending = try observe(output)
      if let failure = output.failure { throw failure }
      return status(ending)
    }
  }

  private func observe(_ output: LeaksOutput) throws -> LeakObservation.Ending {
    let environment = ProcessEnvironment.variables
    let name = options.command[0]
    let program: RecordedProgram
    do { program = try RecordedProgram(name, search: environment["PATH"] ?? "/usr/bin:/bin") } catch {
      throw LeaksFailure(error, command: name)
    }
    var plan = LeakObservation.Plan(
      path: program.path, arguments: options.command, library: try LeaksLibrary.path(environment), environment: environment)
    plan.recordsStacks = options.stacks
    plan.includesChildren = options.children
    plan.signal = options.signal.number
    do throws(LeakObservation.Failure) {
      return try LeakObservation(plan) { [self] event in
        switch event {
        case .examined(let examination, let process, let moment, let exitStatus):
          show(examination, process, moment, exitStatus, output)
        case .failed(let process, let reason):
          let reason = LeaksFailure(reason, process: process)
          reason.tell()
          failure = reason
        }
      }.run()
    } catch {
      throw LeaksFailure(error, command: name)
    }
  }

  private func show(
    _ examination: LeakExamination, _ process: Int32, _ moment: LeakReport.Moment, _ exitStatus: Int32?, _ output: LeaksOutput
  ) {
    examinations += 1
    if let wanted = options.references {
      let (found, paths) = examination.references(ReferenceQuery(wanted), limit: options.limit)
      if found > 0 { hasFindings = true }
      output.write(options.json ? JSONLine.text(paths) + "\n" : LeaksOutput.printable(LeaksRun.text(wanted, found, paths)))
      return
    }
    let program = options.command[0].split(separator: "/").last.map(String.init) ?? options.command[0]
    let report = examination.report(
      program: ProgramName.name(of: process) ?? program, moment, exitStatus: exitStatus, tellsPlaces: options.stacks)
    if report.hasLeaks { hasFindings = true }
    output.write(options.json ? JSONLine.text(report) + "\n" : LeaksOutput.printable(report.text))
    if let graph = options.graph { output.replace(graph, with: examination.dot()) }
  }

  private func status(_ ending: LeakObservation.Ending) -> Int32 {
    if let failure { return failure.status }
    if case .signal(let number) = ending, !hasFindings {
      Console(tellsErrors: true).line(
        "urlload: signal \(number) ended the command; blocks are searched for at an end by exit or main alone")
      return 128 + number
    }
    guard examinations > 0 else {
      LeaksFailure(LeaksFailure.unreadable, "the command ended without saying so; there is no report").tell()
      return LeaksFailure.unreadable
    }
    let isFailure = options.references == nil ? hasFindings : !hasFindings
    return isFailure ? 1 : 0
  }

  private static func text(_ wanted: String, _ found: Int, _ paths: [ReferencePath]) -> String {
    guard found > 0 else { return "no block in use is \(wanted)\n" }
    let lines = paths.map { "\($0.address), \($0.size) bytes:\n   \($0.text)\n" }
    let rest = found > paths.count ? "… and \(found - paths.count) more; --limit shows them\n" : ""
    return "\(wanted): \(found) in use\n" + lines.joined() + rest
  }
}

/// Names of running programs.
enum ProgramName {
  /// The name of the process's executable file; nil if it can't be read.
  static func name(of process: Int32) -> String? {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    return path?.split(separator: "/").last.map(String.init)
  }
}
