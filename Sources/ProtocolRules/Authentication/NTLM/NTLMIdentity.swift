/// The user that logs in: `DOMAIN\user`, `DOMAIN/user`, `user@domain` or `user`.
struct NTLMIdentity: Equatable, Sendable {
  var domain: String
  var user: String

  init(domain: String, user: String) {
    self.domain = domain
    self.user = user
  }

  init(_ name: String) {
    if let separator = name.firstIndex(where: { $0 == "\\" || $0 == "/" }) {
      self.init(domain: String(name[..<separator]), user: String(name[name.index(after: separator)...]))
    } else {
      // A user principal name is sent as it is, with an empty domain: the domain controller takes it apart.
      self.init(domain: "", user: name)
    }
  }
}
