import Foundation
import URLLoadingSystem

/// `urlload URL`: loads URLs.
enum Urlload {
  /// Runs the command, and ends the process.
  static func main(_ arguments: [String]) async -> Never { exit(await status(arguments).rawValue) }

  private static func status(_ arguments: [String]) async -> ExitStatus {
    let line: LoadCommandLine
    do {
      line = try LoadCommandLine(arguments)
    } catch let error as UsageError {
      Console(tellsErrors: true).line(
        "urlload: \(Printable.text(error.message))\nUsage: urlload [options] URL ...; 'urlload --help' tells more.")
      return .usage
    } catch {
      let failure = error as? ToolFailure ?? ToolFailure(error)
      Console(tellsErrors: true).tell(failure)
      return failure.status
    }
    if let topic = line.options.run.help { return LoadHelp.show(topic) }
    if line.options.run.showsVersion {
      StandardOutput.line("urlload \(LibraryVersion.current)")
      return .success
    }
    if line.options.run.printsCurl {
      StandardOutput.line(CurlLine.text(line))
      return .success
    }
    return await line.options.recording.record { await FetchRun(line.options).run(line.targets) }
  }
}
