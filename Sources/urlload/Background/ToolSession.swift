import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// The background sessions that the tool's own transfers belong to. Discretion is a session's: such transfers have one of their own.
enum ToolSession {
  static let app = "urlload"
  private static let identifier = "urlload"
  private static let discretionaryIdentifier = "urlload-discretionary"

  static let identifiers = [identifier, discretionaryIdentifier]

  static func terms(isDiscretionary: Bool) -> SessionTerms { terms(isDiscretionary ? discretionaryIdentifier : identifier) }

  /// - Parameter identifier: One of `identifiers`.
  static func terms(_ identifier: String) -> SessionTerms {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.isDiscretionary = identifier == discretionaryIdentifier
    configuration.sessionSendsLaunchEvents = false
    configuration.httpCookieStorage = nil
    // http:// on the command line is meant.
    configuration.appTransportSecurity = nil
    var terms = SessionTerms(configuration, identifier: identifier)
    terms.app.name = app
    return terms
  }
}
