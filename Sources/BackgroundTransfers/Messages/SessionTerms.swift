import Foundation

/// What the daemon stores of a session: the app, the configuration, and how the app is launched.
package struct SessionTerms: Codable, Sendable, Equatable {
  /// The app, as `StoreLocation.app` names it, and the folders of its stores.
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

  /// How the daemon starts the app when all its transfers have ended, or one needs its answer.
  package enum Launch: Codable, Sendable, Equatable {
    /// A command: program and arguments, working folder (nil for "/"), and variables besides those of `SessionTerms.environment`.
    case command([String], folder: String?, environment: [String: String])
    /// The name of a unit of systemd's user instance.
    case unit(String)

    /// Environment variable with the session's identifier, in the process that was launched for it.
    package static let variable = "URLSESSION_LAUNCH_IDENTIFIER"
  }

  package var app: App
  /// `URLSessionConfiguration.identifier`.
  package var identifier: String
  /// The configuration, encoded by the library; the database doesn't look into it.
  package var configuration: Data
  package var resourceTimeout: Double
  package var isDiscretionary: Bool
  package var sendsLaunchEvents: Bool
  package var launch: Launch?
  /// The app's environment when it made the session, for a launch by command; nil if it isn't launched so.
  package var environment: [String: String]?
  /// The app's umask when it made the session, for a launch by command; nil if it isn't launched so, and from an app of an earlier version.
  package var creationMask: UInt16?

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

  /// Identifies the session among all sessions of the user.
  package var key: SessionKey { SessionKey(app: app.name, data: app.data, identifier: identifier) }
}

/// Identifies a session among all sessions of one user: app, data folder and the session's own identifier.
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
