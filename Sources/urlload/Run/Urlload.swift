import ArgumentParser
import URLLoadingSystem

/// The command: loads URLs.
struct Urlload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload",
    abstract: "Load URLs with the URL Loading System.",
    usage: """
      urlload [options] URL ...
      urlload ws [options] URL
      urlload background add [options] URL ... | list | watch [ID] | pause ID | resume ID | cancel ID | log [ID] | status
      urlload ats URL
      urlload cache ls | show URL | rm URL ...
      urlload cookies ls | rm HOST ...
      urlload memory PID | --self | -- COMMAND ...
      urlload leaks [options] -- COMMAND ...
      urlload demo
      """,
    discussion: """
      The body goes to standard output, everything else to standard error. Redirects are followed and compressed bodies decoded. \
      http, https, ftp, ftps, file and data URLs are served. "urlload background" hands transfers to a daemon and ends. "urlload demo" shows what the library does, against a server of its \
      own.

      Exit codes are curl's where curl has one: 0 all loaded, 3 malformed or unsupported URL, 6 host not found, 7 no connection, 8 bad \
      response, 18 connection lost, 22 HTTP error with --fail, 23 output can't be written, 26 data to send can't be read, 28 timeout, 35 \
      TLS failed, 37 file: URL can't be read, 47 too many redirects, 58 own certificate can't be used, 60 certificate refused, 61 body can't be decoded, 64 \
      wrong usage, 67 login failed, 77 authorities can't be read, 110 checksum differs, 130 \
      interrupted.
      """,
    version: "urlload \(LibraryVersion.current)")

  @OptionGroup(title: "Request") var request: RequestOptions
  @OptionGroup(title: "Login and trust") var login: LoginOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Cookies and cache") var storage: StorageOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Transfer") var transfer: TransferOptions

  @Argument(help: ArgumentHelp("What to load, one after the other unless --parallel is given.", valueName: "url"))
  var urls: [String] = []

  func run() async throws {
    guard !urls.isEmpty else { throw ValidationError("Name a URL to load, such as https://example.com/.") }
    if output.file != nil, urls.count > 1 {
      throw ValidationError("-o names one file, but there are \(urls.count) URLs; use -O, or run urlload once for each.")
    }
    try validateTogether()
    let status = await load()
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  /// Loads what is named.
  func load() async -> ExitStatus {
    await FetchRun(request: request, login: login, network: network, storage: storage, output: output, transfer: transfer).run(urls)
  }

  /// What no group of options can tell alone.
  private func validateTogether() throws {
    if transfer.parallel > 1, urls.count > 1, output.destination == .standardOutput {
      throw ValidationError("--parallel would mix the bodies on standard output; write them to files with -O.")
    }
    if request.uploadFile != nil { try validateUpload() } else { try validateContinuation() }
    if transfer.checksum != nil {
      if urls.count > 1 { throw ValidationError("--checksum is that of one body; run urlload once for each URL.") }
      if output.includesHead || request.asksForHead { throw ValidationError("--checksum is that of a body alone; leave -i and -I out.") }
      if case .after = transfer.continuation, output.destination == .standardOutput {
        throw ValidationError("--checksum needs the whole body; name a file with -o, or leave -C out.")
      }
    }
  }

  private func validateContinuation() throws {
    guard transfer.continuation != .none else { return }
    if request.asksForHead || output.includesHead {
      throw ValidationError("-C goes on with a body, which has no heads in it; leave -i and -I out.")
    }
    if transfer.continuation == .found, output.destination == .standardOutput {
      throw ValidationError("-C - and --segments need a file; name it with -o or -O.")
    }
    if case .after = transfer.continuation, urls.count > 1 { throw ValidationError("-C with an offset goes with one URL only; use -C -.") }
  }

  private func validateUpload() throws {
    if transfer.segments > 1 { throw ValidationError("--segments divides what is received; leave it or -T out.") }
    if case .after = transfer.continuation {
      throw ValidationError("With -T it is the server that says how much it has; give -C - without an offset.")
    }
    if transfer.continuation == .found, request.uploadFile == "-" {
      throw ValidationError("-C - can't go on with standard input, which is read once; name a file with -T.")
    }
  }
}
