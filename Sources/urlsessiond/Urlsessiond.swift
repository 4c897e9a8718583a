import BackgroundDaemon
import BackgroundTransfers
import Foundation
import LoadingModel
import URLLoadingSystem

/// Entry point of the daemon, the process that carries the transfers of background sessions. See Documentation/background-sessions.md.
///
/// Apps start it when they need it, or systemd does; it takes no arguments in either case, and ends when it is idle.
@main
enum Urlsessiond {
  private static let usage = """
    usage: urlsessiond
           urlsessiond --link-socket PATH   lets apps find the socket PATH, which systemd listens at; then ends

    Carries the transfers of background sessions on. Apps start it by themselves; `urlload background status` says what it does.

    """

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    do {
      switch (arguments.first, arguments.count) {
      case (nil, _): try serve()
      case ("--link-socket", 2): try BackgroundPlaces.standard().announce(arguments.last ?? "")
      case ("--help", 1), ("-h", 1): print(usage, terminator: "")
      default: end(usage, status: 64)
      }
    } catch {
      end("urlsessiond: \(text(error))\n", status: 1)
    }
  }

  private static func serve() throws {
    let environment = ProcessEnvironment.variables
    // nil means that another daemon serves the data folder, or that a service manager is about to start one: this process isn't needed.
    guard let daemon = try BackgroundDaemon(places: BackgroundPlaces.standard(), environment: environment) else { return }
    HeldDoor.prepare()
    try daemon.run()
  }

  private static func text(_ error: any Error) -> String { (error as? Refusal)?.text ?? "\(error)" }

  private static func end(_ text: String, status: Int32) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    exit(status)
  }
}
