import Foundation
import URLLoadingInspector

#if Inspector
  /// `urlload inspect`: shows the transfers of a command, of a process or of a file as a web page.
  struct InspectCommand: Sendable {
    let options: InspectOptions
    /// The command to run, with its arguments; empty if a file or a process is inspected.
    let command: [String]

    /// Runs the command line, and ends the process.
    static func main(_ arguments: [String]) -> Never {
      do throws(UsageError) {
        let own = arguments.prefix { $0 != "--" }
        let command = Array(arguments.dropFirst(own.count + 1))
        var options = InspectOptions()
        let words = try CommandLineParser(InspectOptions.groups).parse(Array(own), into: &options)
        if options.asksForHelp {
          InspectOptions.showHelp()
          exit(0)
        }
        guard words.plain.count == (command.isEmpty && !options.isOfDaemon ? 1 : 0), command.isEmpty || !options.isOfDaemon else {
          throw UsageError("Name an HTTP Archive, a process, or the command to run after --.")
        }
        exit(InspectCommand(options: options, command: command).run(words.plain.first))
      } catch {
        Console(tellsErrors: true).line(
          "urlload: \(Printable.text(error.message))\nUsage: urlload inspect [options] FILE.har | PID | -- COMMAND ...; 'urlload inspect --help' tells more."
        )
        exit(ExitStatus.usage.rawValue)
      }
    }

    private func run(_ file: String?) -> Int32 {
      do throws(ToolFailure) {
        if options.isOfDaemon { return try InspectedProcess(InspectedProcess.daemon(), options).run() }
        if let process = file.flatMap({ process($0) }) { return try InspectedProcess(process, options).run() }
        if let file { return try show(file) }
        return try InspectedCommand(self).run()
      } catch {
        Console(tellsErrors: true).tell(error)
        return error.status.rawValue
      }
    }

    /// The number of a process, if the word is a number and no file has that name.
    private func process(_ word: String) -> Int32? {
      guard !FileManager.default.fileExists(atPath: word), let number = Int32(word), number > 0 else { return nil }
      return number
    }

    /// Shows a file's transfers until the interrupt key, or converts them to the files that the options name.
    private func show(_ file: String) throws(ToolFailure) -> Int32 {
      let transfers = try RecordingFile.read(file)
      if try options.files.writeAny(transfers) { return 0 }
      let page = try InspectorPage(transfers, port: options.port, token: nil, title: URL(filePath: file).lastPathComponent)
      let end = InterruptWait()
      Console(tellsErrors: true).line("inspector: \(page.url.absoluteString)")
      if !options.leavesBrowser { page.open() }
      end.wait()
      return 0
    }
  }
#else
  /// Without the package trait Inspector, the command only says how to build with it.
  enum InspectCommand {
    static func main(_ arguments: [String]) -> Never {
      Console(tellsErrors: true).line(
        "urlload: This urlload was built without the package trait Inspector: swift build --traits Inspector --product urlload")
      exit(ExitStatus.usage.rawValue)
    }
  }
#endif
