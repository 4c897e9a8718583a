#if Inspector
  import Foundation
  import LoadingModel
  import URLLoadingInspector

  /// A command whose transfers are recorded: by itself, because the environment asks it to.
  struct InspectedCommand {
    private let options: InspectCommand
    private let console = Console(tellsErrors: true)

    init(_ options: InspectCommand) { self.options = options }

    /// Runs the command, and shows what it has left when it ends.
    /// - Returns: How this program is to end: with the command's own status.
    func run() throws(ToolFailure) -> Int32 {
      let token = InspectorAddress.makeToken()
      guard let port = options.port == 0 ? InspectorAddress.freePort() : options.port else {
        throw ToolFailure(.other, "no port is free on the loopback interface")
      }
      let folder = try PrivateFolder()
      defer { folder.remove() }
      let archive = "\(folder.path)/transfers.har"
      // The terminal's keys reach the command, whose end is waited for.
      signal(SIGINT, SIG_IGN)
      signal(SIGQUIT, SIG_IGN)
      let process = try start(["URL_LOADING_INSPECT": "\(port),\(archive)", "URL_LOADING_INSPECT_TOKEN": token])
      let status = SpawnedCommand.wait(for: process)
      guard FileManager.default.fileExists(atPath: archive) else {
        console.line(
          "urlload: the command has recorded nothing: it doesn't link URLLoadingInspector, has made no session, or was ended by a signal")
        return status
      }
      let transfers = try RecordingFile.read(archive)
      let isWritten = try options.files.writeAny(transfers)
      guard !options.end, !isWritten else { return status }
      // At the address that the command had: pages that are open find it again.
      let page = try InspectorPage(transfers, port: port, token: token, title: "\(options.command[0]) (ended)")
      console.line("inspector: the command has ended with status \(status); its transfers stay at \(page.url.absoluteString)")
      if !options.noOpen { page.open() }
      InspectorPage.waitForInterrupt()
      return status
    }

    private func start(_ added: [String: String]) throws(ToolFailure) -> pid_t {
      let environment = ProcessEnvironment.variables.merging(added) { $1 }
      do throws(SpawnedCommand.Failure) {
        return try SpawnedCommand.start(options.command, environment: environment)
      } catch {
        throw ToolFailure(.other, "\(options.command[0]) can't be run: \(String(cString: strerror(error.code)))")
      }
    }
  }

  /// A folder of temporary files that is this user's alone.
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

  /// A child of this program in its process group: the terminal's keys reach it.
  enum SpawnedCommand {
    struct Failure: Error {
      let code: Int32
    }

    static func start(_ words: [String], environment: [String: String]) throws(Failure) -> pid_t {
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var defaults = sigset_t()
      sigemptyset(&defaults)
      for signal in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&defaults, signal) }
      posix_spawnattr_setsigdefault(&attributes, &defaults)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
      var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
      var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { for text in arguments + variables { free(text) } }
      var process = pid_t()
      let code = posix_spawnp(&process, words[0], nil, &attributes, &arguments, &variables)
      guard code == 0 else { throw Failure(code: code) }
      return process
    }

    /// The status as a shell tells it.
    static func wait(for process: pid_t) -> Int32 {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
  }
#endif
