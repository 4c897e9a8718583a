import LoadingModel

/// Which methods a request may be sent with.
package enum MethodRules {
  /// Refuses a method that isn't a token (RFC 9110, 9.1), and CONNECT.
  ///
  /// CONNECT asks for a tunnel, which the route to a proxy opens: in an ordinary exchange its 2xx would end HTTP on the connection.
  package static func check(_ method: String) throws(LoadError) {
    guard FieldSyntaxRules.isToken(method) else {
      throw LoadError(.badURL, .send, "the request's method isn't a valid HTTP token: use letters, digits and hyphens only")
    }
    guard method != "CONNECT" else {
      throw LoadError(.badURL, .send, "CONNECT can't be loaded: set a proxy in the session's configuration instead")
    }
  }
}
