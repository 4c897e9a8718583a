import ArgumentParser
import Foundation
import URLLoadingSystem

/// `urlload ats`: tries which settings of App Transport Security a server needs.
struct Diagnose: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload ats",
    abstract: "Try a server with every combination of App Transport Security's settings.",
    discussion: """
      Each line tells whether a load passes where the host is listed in NSExceptionDomains with these settings: the oldest TLS version, \
      forward secrecy, http. The first is what holds where nothing is set, the last NSAllowsArbitraryLoads. The exit code is 0 if an app \
      needs no exception.
      """)

  @Option(help: ArgumentHelp("Trust the certificate authorities in this PEM file, and no others.", valueName: "file"))
  var cacert: String?

  @Option(help: ArgumentHelp("The longest time without progress, in seconds.", valueName: "seconds"))
  var connectTimeout: Double = 10

  @Argument(help: "The server, as an https or http URL.")
  var url: String

  mutating func validate() throws {
    guard connectTimeout > 0, connectTimeout.isFinite else {
      throw ValidationError("--connect-timeout takes a number of seconds above 0.")
    }
  }

  func run() async throws {
    let console = Console(tellsErrors: true)
    do throws(ToolFailure) {
      guard let parsed = URL(string: url), let host = parsed.host(), let scheme = parsed.scheme?.lowercased(),
        scheme == "https" || scheme == "http"
      else { throw ToolFailure(.malformedURL, "\"\(Masking.url(url))\" can't be diagnosed; name a server as https://host/") }
      if let cacert { try TrustFile.use(cacert) }
      let status = await diagnose(TransportSecurityDiagnosis(url: parsed, host: host, timeout: connectTimeout))
      guard status != .success else { return }
      throw ToolFailure(status, "")
    } catch {
      console.tell(error)
      throw ExitCode(error.status.rawValue)
    }
  }

  private func diagnose(_ diagnosis: TransportSecurityDiagnosis) async -> ExitStatus {
    let palette: Palette = isatty(STDOUT_FILENO) == 1 ? .forTerminal : .plain
    StandardOutput.line(palette.bold("\(Masking.url(Printable.text(url)))"))
    var results: [TransportSecurityDiagnosis.Result] = []
    for trial in TransportSecurityTrial.all {
      let result = await diagnosis.result(of: trial)
      StandardOutput.line(TransportSecurityDiagnosis.line(result, palette: palette))
      results.append(result)
    }
    for line in diagnosis.verdict(results) { StandardOutput.line(line) }
    return results.first { $0.trial == .fullProtection }?.failure?.status ?? .success
  }

}
