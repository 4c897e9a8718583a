import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// The background sessions of the tool's own transfers: one for discretionary transfers, because that is a property of the session, and one for all
/// others.
enum ToolSession {
  static let app = "urlload"
  private static let identifier = "urlload"
  private static let discretionaryIdentifier = "urlload-discretionary"

  static let identifiers = [identifier, discretionaryIdentifier]

  static func terms(isDiscretionary: Bool) -> SessionTerms { terms(isDiscretionary ? discretionaryIdentifier : identifier) }

  /// The terms that the daemon gets of the tool's session.
  /// - Parameter identifier: One of `identifiers`.
  static func terms(_ identifier: String) -> SessionTerms {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.isDiscretionary = identifier == discretionaryIdentifier
    configuration.sessionSendsLaunchEvents = false
    configuration.httpCookieStorage = nil
    // The user decides on http:// by writing it: App Transport Security doesn't apply.
    configuration.appTransportSecurity = nil
    var terms = SessionTerms(configuration, identifier: identifier)
    terms.app.name = app
    return terms
  }
}
