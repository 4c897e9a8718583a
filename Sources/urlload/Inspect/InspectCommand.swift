import ArgumentParser
import Foundation
import URLLoadingInspector

#if Inspector
  /// `urlload inspect`: the transfers of a command while it runs, or of a file, as a page.
  struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "urlload inspect",
      abstract: "Show the transfers of a program while it runs, or of an HTTP Archive.",
      usage: "urlload inspect [options] FILE.har | PID | --background | -- COMMAND ...",
      discussion: """
        The command must use URLLoadingSystem and link URLLoadingInspector; it is run with URL_LOADING_INSPECT. The page's address is \
        written to standard error, and opened in a browser where there is a desktop. It has a token in it: keep it to yourself. When the \
        command has ended, what it has loaded stays until the interrupt key, or until --end.
        A process that runs already is recorded, and serves its page, until the interrupt key; what it did before isn't known. It must be \
        yours and link URLLoadingInspector. --background is the process that carries background sessions on.
        The status is the command's; of a file or process 0.
        """)

    @Option(help: ArgumentHelp("The port of the page on the loopback interface; 0 is any that is free.", valueName: "number"))
    var port = 0

    @Flag(help: "Leave the browser alone.")
    var noOpen = false

    @Flag(help: "End with the command.")
    var end = false

    @Option(help: ArgumentHelp("Write the transfers to a file as an HTTP Archive (HAR 1.2), without credentials.", valueName: "file"))
    var har: String?

    @Option(help: ArgumentHelp("Draw the transfers' phases; the name ends in .svg or .png.", valueName: "file"))
    var waterfall: String?

    @Option(help: ArgumentHelp("Write the transfers to a file as a page that needs nothing else.", valueName: "file"))
    var report: String?

    @Flag(help: "Inspect urlsessiond, which carries background sessions on.")
    var background = false

    @Argument(
      help: ArgumentHelp("An HTTP Archive, of this program's or of a browser's; or the number of a process.", valueName: "file|process"))
    var file: String?

    @Argument(parsing: .postTerminator, help: "The command to run, and its arguments.")
    var command: [String] = []

    /// What is to be written about the transfers.
    var files: RecordingOptions { RecordingOptions(har: har, waterfall: waterfall, report: report) }

    /// A number that no file has as its name.
    private var process: Int32? {
      guard let file, !FileManager.default.fileExists(atPath: file), let number = Int32(file), number > 0 else { return nil }
      return number
    }

    mutating func validate() throws {
      if let waterfall, WaterfallFormat(of: waterfall) == nil { throw ValidationError(WaterfallFormat.advice) }
      guard [!command.isEmpty, file != nil, background].count(where: { $0 }) == 1 else {
        throw ValidationError("Name an HTTP Archive, a process, or the command to run after --.")
      }
      guard (0...65535).contains(port) else { throw ValidationError("--port takes a number up to 65535.") }
    }

    func run() async throws {
      let status: Int32
      do throws(ToolFailure) {
        if background {
          status = try await InspectedProcess(InspectedProcess.daemon(), self).run()
        } else if let process {
          status = try await InspectedProcess(process, self).run()
        } else if let file {
          status = try show(file)
        } else {
          status = try InspectedCommand(self).run()
        }
      } catch {
        Console(tellsErrors: true).tell(error)
        throw ExitCode(error.status.rawValue)
      }
      guard status == 0 else { throw ExitCode(status) }
    }

    /// Shows a file's transfers until the interrupt key, or makes other files of them.
    private func show(_ file: String) throws(ToolFailure) -> Int32 {
      let transfers = try RecordingFile.read(file)
      if try files.writeAny(transfers) { return 0 }
      let page = try InspectorPage(transfers, port: port, token: nil, title: URL(filePath: file).lastPathComponent)
      let end = InterruptWait()
      Console(tellsErrors: true).line("inspector: \(page.url.absoluteString)")
      if !noOpen { page.open() }
      end.wait()
      return 0
    }
  }

  extension RecordingOptions {
    var isAny: Bool { har != nil || waterfall != nil || report != nil }

    /// Writes what is asked for; returns whether anything is.
    func writeAny(_ transfers: [RecordedTransfer]) throws(ToolFailure) -> Bool {
      guard isAny else { return false }
      if let har { try RecordingFile.write(HARDocument.data(transfers), to: har) }
      if let report { try RecordingFile.write(ReportDocument.data(transfers, title: "urlload"), to: report) }
      if let waterfall { try RecordingFile.writeWaterfall(transfers, to: waterfall) }
      return true
    }
  }
#else
  /// What is there without the trait: the way to get it.
  struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "urlload inspect", abstract: "Show the transfers of a program.")

    func run() async throws {
      throw ValidationError("This urlload was built without the package trait Inspector: swift build --traits Inspector --product urlload")
    }
  }
#endif
