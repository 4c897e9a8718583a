import ChildProcesses
import Foundation

/// A C program that a test compiles and starts. It says that it is ready by a line on standard output, and ends when its standard input does.
final class CompiledProgram {
  enum Failure: Error {
    case notCompiled(Int32?)
    case notReady
  }

  /// Whether there is a C compiler, and what it makes runs as it is.
  static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: compiler) && !TestProgram.isEmulated }
  static let absence = "there is no C compiler at \(compiler), or an emulator runs the tests"
  private static let compiler = "/usr/bin/cc"

  private let folder: URL
  let executable: URL

  /// Compiles `source`.
  init(_ source: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "compiled-program-\(UUID().uuidString)")
    executable = folder.appending(path: "subject")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "subject.c")
    try Data(source.utf8).write(to: file)
    let status = try ChildProcess(CompiledProgram.compiler, ["-O1", "-pthread", "-o", executable.path, file.path]).wait()
    guard status == 0 else { throw Failure.notCompiled(status) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs `body` with the running program, after it has said that it is ready; then ends it.
  /// - Returns: The result of `body`, and the program's exit status.
  func run<Result>(_ arguments: String..., body: (pid_t) throws -> Result) throws -> (Result, status: Int32?) {
    let (input, output) = (Pipe(), Pipe())
    let process = try ChildProcess(
      executable.path, arguments, input: .descriptor(input.fileHandleForReading.fileDescriptor),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor))
    do {
      // The program alone has its end, so that reading doesn't wait for ever where it fails.
      try output.fileHandleForWriting.close()
      guard output.fileHandleForReading.availableData.starts(with: "ready".utf8) else { throw Failure.notReady }
      let result = try body(process.identifier)
      try input.fileHandleForWriting.close()
      return (result, process.wait())
    } catch {
      process.stop()
      throw error
    }
  }
}

/// A process that is stopped by a signal while `body` runs, so that its memory doesn't change.
func whileStopped<Result>(_ process: pid_t, _ body: () throws -> Result) throws -> Result {
  kill(process, SIGSTOP)
  defer { kill(process, SIGCONT) }
  // Reported when all threads have stopped.
  var facts = siginfo_t()
  while waitid(P_PID, id_t(process), &facts, WSTOPPED | WNOWAIT) < 0 {
    guard errno == EINTR else { throw CocoaError(.featureUnsupported) }
  }
  return try body()
}
