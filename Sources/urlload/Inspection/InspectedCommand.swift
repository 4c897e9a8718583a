#if Inspector
  import Foundation
  import LoadingModel
  import ProcessMemory
  import URLLoadingInspector

  /// A command that is run and records its own transfers, because an environment variable tells its library to.
  struct InspectedCommand {
    private let inspected: InspectCommand
    private let console = Console(tellsErrors: true)

    init(_ inspected: InspectCommand) { self.inspected = inspected }

    private var options: InspectOptions { inspected.options }

    /// Runs the command, and shows the transfers that it has recorded after its end.
    /// - Returns: The exit code: that of the command, or why it can't be run.
    func run() throws(ToolFailure) -> Int32 {
      let token = InspectorAddress.makeToken()
      guard let port = options.port == 0 ? InspectorAddress.freePort() : options.port else {
        throw ToolFailure(.other, "no port is free on the loopback interface")
      }
      let folder = try PrivateFolder()
      defer { folder.remove() }
      let archive = "\(folder.path)/transfers.har"
      // The interrupt and quit keys are for the command, whose end this process waits for.
      signal(SIGINT, SIG_IGN)
      signal(SIGQUIT, SIG_IGN)
      let process: pid_t
      do throws(CommandFailure) {
        process = try start(["URL_LOADING_INSPECT": "\(port),\(archive)", "URL_LOADING_INSPECT_TOKEN": token])
      } catch {
        console.line("urlload: \(Printable.text(error.text))")
        return error.shellStatus
      }
      let status = SpawnedProcess.wait(for: process)
      guard FileManager.default.fileExists(atPath: archive) else {
        console.line(
          "urlload: the command has recorded nothing: it doesn't link URLLoadingInspector, has made no session, or was ended by a signal")
        return status
      }
      let transfers = try RecordingFile.read(archive)
      let isWritten = try options.files.writeAny(transfers)
      guard !options.endsWithCommand, !isWritten else { return status }
      // The page is served at the address that the command had, so that open pages find it again.
      let page = try InspectorPage(transfers, port: port, token: token, title: "\(inspected.command[0]) (ended)")
      let end = InterruptWait()
      console.line("inspector: the command has ended with status \(status); its transfers stay at \(page.url.absoluteString)")
      if !options.leavesBrowser { page.open() }
      end.wait()
      return status
    }

    private func start(_ added: [String: String]) throws(CommandFailure) -> pid_t {
      let path = try ExecutableSearch.path(inspected.command[0], in: ProcessEnvironment.value("PATH"))
      let environment = ProcessEnvironment.variables.merging(added) { $1 }
      do throws(SpawnedProcess.Failure) {
        return try SpawnedProcess.start(inspected.command, at: path, environment: environment)
      } catch {
        throw .cannotStart(error.code)
      }
    }
  }

  /// A temporary folder that only this user can use.
  struct PrivateFolder {
    let path: String

    init() throws(ToolFailure) {
      var name = Array(FileManager.default.temporaryDirectory.appending(path: "urlload-XXXXXX").path.utf8CString)
      let made = name.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } }
      guard let made else { throw ToolFailure(.writeFailed, "no folder can be made in \(FileManager.default.temporaryDirectory.path)") }
      path = made
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
  }
#endif
