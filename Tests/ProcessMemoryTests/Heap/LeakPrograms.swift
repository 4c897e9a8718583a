import ChildProcesses
import Foundation

@testable import ProcessMemory

/// The programs of the folder `Programs` and the preloaded library, built once for all tests.
struct LeakPrograms: Sendable {
  let swift: String?
  let optimized: String?
  let c: String?
  let staticC: String?
  let library: String?

  static let shared = LeakPrograms()

  private init() {
    let folder = FileManager.default.temporaryDirectory.appending(path: "leak-programs-\(getpid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Programs")
    let (swiftSource, cSource) = (sources.appending(path: "leaks.swift").path, sources.appending(path: "leaks.c").path)
    func build(_ name: String, _ tool: String, _ arguments: [String]) -> String? {
      let program = folder.appending(path: name).path
      return LeakPrograms.areUsable && LeakPrograms.run(tool, arguments + ["-o", program]) ? program : nil
    }
    let swiftOptions = ["-parse-as-library", "-swift-version", "6", "-module-name", "Leaks", swiftSource]
    swift = build("swift-leaks", "swiftc", ["-Onone"] + swiftOptions)
    optimized = build("swift-leaks-optimized", "swiftc", ["-O", "-static-stdlib", "-Xlinker", "-s"] + swiftOptions)
    c = build("c-leaks", "cc", ["-O0", cSource, "-lpthread"])
    staticC = build("static-c-leaks", "cc", ["-static", "-O0", cSource, "-lpthread"])
    let beside = TestProgram.product("liburlload-leaks.so")
    library = FileManager.default.fileExists(atPath: beside) ? beside : nil
    let path = folder.path
    LeakPrograms.folders.append(path)
    atexit { for folder in LeakPrograms.folders { try? FileManager.default.removeItem(atPath: folder) } }
  }

  /// What is removed at the end.
  nonisolated(unsafe) private static var folders: [String] = []

  var hasSwift: Bool { swift != nil && library != nil }
  var hasOptimized: Bool { optimized != nil && library != nil }
  var hasC: Bool { c != nil && library != nil }
  /// Memory that a sanitizer or an emulator keeps for itself isn't told from the program's.
  private static var areUsable: Bool { !Sanitizer.isActive && !TestProgram.isEmulated }

  private static func run(_ tool: String, _ arguments: [String]) -> Bool {
    (try? ChildProcess(tool, arguments))?.wait() == 0
  }
}

/// What the examinations of one run of a program found.
struct LeakRun {
  var reports: [LeakReport] = []
  var dot = ""
  var paths: [ReferencePath] = []
  var ending: LeakObservation.Ending?
  var failures: [MemorySnapshot.Failure] = []

  /// The names of all blocks that have leaked.
  var names: Set<String> { Set(reports.flatMap { $0.groups.flatMap { LeakRun.names($0.tree) } }) }

  var text: String { reports.map(\.text).joined() }

  /// Runs a program to its end.
  init(
    _ program: String?, _ way: String, references: ReferenceQuery? = nil, adjust: (inout LeakObservation.Plan) -> Void = { _ in }
  ) throws {
    let programs = LeakPrograms.shared
    guard let program, let library = programs.library else { throw LeakObservation.Failure.system(ENOENT) }
    var plan = LeakObservation.Plan(
      path: program, arguments: [program, way], library: library, environment: ProcessInfo.processInfo.environment)
    adjust(&plan)
    var (reports, dot, paths, failures): ([LeakReport], String, [ReferencePath], [MemorySnapshot.Failure]) = ([], "", [], [])
    let observation = try LeakObservation(plan) { event in
      switch event {
      case .examined(let examination, _, let moment, let status):
        reports.append(examination.report(program: "program", moment, exitStatus: status, tellsPlaces: plan.recordsStacks))
        dot = examination.dot()
        if let references { paths = examination.references(references, limit: 20).paths }
      case .failed(_, let failure): failures.append(failure)
      }
    }
    ending = try observation.run()
    (self.reports, self.dot, self.paths, self.failures) = (reports, dot, paths, failures)
  }

  private static func names(_ tree: LeakTree) -> [String] { [tree.name] + tree.held.flatMap(names) }
}
