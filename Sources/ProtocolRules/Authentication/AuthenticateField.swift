import LoadingModel

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, 11.3): a scheme, and a token or parameters.
package struct AuthenticateField: Sendable, Hashable {
  /// The authentication scheme's name in lower case, such as "digest".
  package var scheme: String
  /// The token68 of schemes such as Negotiate; nil if the challenge has parameters or only the scheme's name.
  package var token68: String?
  /// The parameters in the order of the field. Names are lower case, values without quotes and escapes.
  package private(set) var parameters: [Parameter] = []

  package struct Parameter: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// The first value of a parameter. RFC 9110, 11.2 allows each name once; a repetition doesn't change what was said first.
  package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The protection space's realm (RFC 9110, 11.5). Required for Basic and Digest, but some servers leave it out; then nil.
  package var realm: String? { self["realm"] }

  /// Every challenge in the fields called `name`, in order. Challenges that can't be parsed are left out.
  package static func all(_ name: String, in headers: HeaderFields) -> [AuthenticateField] {
    var result: [AuthenticateField] = []
    for value in headers.all(name) {
      var parser = AuthenticateParser(value)
      result += parser.challenges()
    }
    return result
  }
}
