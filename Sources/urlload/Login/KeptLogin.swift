/// A login, or a token, that a session has kept for one server.
struct KeptLogin: Sendable {
  var login: Login?
  var bearer: String?
}
