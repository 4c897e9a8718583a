import BackgroundTransfers
import Foundation

/// How the app is started when the transfers of a background session have ended, or need an answer, while the app isn't running.
///
/// An addition: on Apple's platforms the system knows how to launch an app, and calls
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. Here the app says it once, in
/// ``URLSessionConfiguration/backgroundLaunch``, and the handler is that of ``URLSession/onBackgroundEvents(_:)``.
public struct URLSessionBackgroundLaunch: Sendable, Hashable {
  private enum Way: Sendable, Hashable {
    case command([String], folder: URL?, environment: [String: String])
    case unit(String)
  }

  private let way: Way

  /// A program that the daemon starts, with its arguments.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path first. It is started without a shell.
  ///   - workingDirectory: The directory in which the program runs; nil for `/`.
  ///   - environment: Variables to add to those that the app has when it makes the session. Both are kept on disk, encrypted.
  public static func command(
    _ arguments: [String], workingDirectory: URL? = nil, environment: [String: String] = [:]
  ) -> URLSessionBackgroundLaunch {
    URLSessionBackgroundLaunch(way: .command(arguments, folder: workingDirectory, environment: environment))
  }

  /// A unit of the user's systemd, such as "sync.service", which `systemctl --user start` starts. A unit isn't told the identifier of the session:
  /// the app makes all the sessions it has.
  public static func systemdUnit(_ name: String) -> URLSessionBackgroundLaunch { URLSessionBackgroundLaunch(way: .unit(name)) }

  /// The launch in the form that is sent to the daemon.
  var terms: SessionTerms.Launch {
    switch way {
    case .command(let words, let folder, let environment):
      .command(words, folder: folder?.path(percentEncoded: false), environment: environment)
    case .unit(let name): .unit(name)
    }
  }
}

extension URLSessionConfiguration {
  /// How the app is started when a background session needs it; nil, the default, means that events wait for the app's next start.
  ///
  /// An addition. It has no effect where `sessionSendsLaunchEvents` is false.
  public final var backgroundLaunch: URLSessionBackgroundLaunch? {
    get { values.withLock { $0.backgroundLaunch } }
    set { values.change { $0.backgroundLaunch = newValue } }
  }
}
