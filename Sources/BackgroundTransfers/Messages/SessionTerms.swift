import Foundation

/// A session's configuration as the daemon needs it, and whose it is.
package struct SessionTerms: Codable, Sendable, Equatable {
  /// The app, as `StoreLocation.app` names it, and where its stores lie.
  package struct App: Codable, Sendable, Hashable {
    package var name: String
    package var data: String
    package var caches: String
    package var settings: String

    package init(name: String, data: String, caches: String, settings: String) {
      self.name = name
      self.data = data
      self.caches = caches
      self.settings = settings
    }
  }

  /// How the app is started when its transfers have ended or need it.
  package enum Launch: Codable, Sendable, Equatable {
    /// Program and arguments, working folder, and variables besides those of `SessionTerms.environment`.
    case command([String], folder: String?, environment: [String: String])
    /// A unit of the user's systemd.
    case unit(String)

    /// The variable that names the session to the program that is started for it.
    package static let variable = "URLSESSION_LAUNCH_IDENTIFIER"
  }

  package var app: App
  /// `URLSessionConfiguration.identifier`.
  package var identifier: String
  /// The library's form of the configuration; opaque to the queue.
  package var configuration: Data
  package var resourceTimeout: Double
  package var isDiscretionary: Bool
  package var sendsLaunchEvents: Bool
  package var launch: Launch?
  /// The app's variables, for a launch by command: it is started as it was when it made the session. nil if it isn't started so.
  package var environment: [String: String]?

  package init(
    app: App, identifier: String, configuration: Data, resourceTimeout: Double, isDiscretionary: Bool = false,
    sendsLaunchEvents: Bool = true, launch: Launch? = nil, environment: [String: String]? = nil
  ) {
    self.app = app
    self.identifier = identifier
    self.configuration = configuration
    self.resourceTimeout = resourceTimeout
    self.isDiscretionary = isDiscretionary
    self.sendsLaunchEvents = sendsLaunchEvents
    self.launch = launch
    self.environment = environment
  }

  /// What no two sessions of a user have in common.
  package var key: SessionKey { SessionKey(app: app.name, data: app.data, identifier: identifier) }
}

/// What tells the sessions of one user apart.
package struct SessionKey: Codable, Sendable, Hashable {
  package var app: String
  /// The app's data folder.
  package var data: String
  package var identifier: String

  package init(app: String, data: String, identifier: String) {
    self.app = app
    self.data = data
    self.identifier = identifier
  }
}
