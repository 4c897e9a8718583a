import BackgroundTransfers
import Foundation
import LoadingModel

/// Whether the daemon has launched this process for a background session, and the handler of `onBackgroundEvents`.
enum BackgroundLaunches {
  /// The identifier of the session for which the daemon launched this process; nil if it was launched otherwise.
  static let identifier: String? = ProcessEnvironment.value(SessionTerms.Launch.variable).flatMap { $0.isEmpty ? nil : $0 }

  private static let isHandled = Mutex(false)

  static func handle(_ handler: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Void) {
    guard let identifier else { return }
    let isFirst = isHandled.withLock { isHandled in
      defer { isHandled = true }
      return !isHandled
    }
    guard isFirst else { return }
    DispatchQueue.main.async { handler(identifier) { BackgroundIdentifiers.launchHandled(identifier) } }
  }
}

extension URLSession {
  /// Has `handler` called, once and on the main queue, if this process was started because transfers of a background session have ended or
  /// need an answer while the app wasn't running. To be called early in the app's life.
  ///
  /// The counterpart of `application(_:handleEventsForBackgroundURLSession:completionHandler:)` of Apple's app delegates: make the session
  /// with that identifier, take its events, and call the completion handler when `urlSessionDidFinishEvents(forBackgroundURLSession:)` has
  /// said that there are no more. An app says by ``URLSessionConfiguration/backgroundLaunch`` how it is started. An app that ends without
  /// having taken its events is started again after a pause that grows.
  ///
  /// - Parameter handler: Given the identifier of the session and the completion handler.
  public static func onBackgroundEvents(
    _ handler: @escaping @Sendable (_ identifier: String, _ completionHandler: @escaping @Sendable () -> Void) -> Void
  ) {
    BackgroundLaunches.handle(handler)
  }
}
