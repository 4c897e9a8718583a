import Stores

extension URLSession {
  /// The name under which the process keeps what outlives it: cookies, credentials, hosts that asked for TLS, cached responses. Default: the
  /// main bundle's identifier, or else the name of the executable.
  ///
  /// Processes of one user with the same name share all of it; a tool that is installed under several names, or a server that is started by
  /// an interpreter, sets a name of its own. To be set before the first session, cookie storage, cache or credential storage is used: a name
  /// that comes later has no effect, and the property returns the one in use. Slashes become hyphens. Where `URL_LOADING_SYSTEM_HOME` names
  /// the folder, the name isn't part of the path.
  ///
  /// An addition: on Apple's platforms the bundle's identifier is this name.
  public static var applicationName: String {
    get { StoreLocation.chosenName }
    set { StoreLocation.chosenName = newValue }
  }
}
