/// Converts a credential, except its password, to and from the text attributes of an item in the Secret Service, which aren't encrypted there.
enum ItemAttributes {
  static func make(_ credential: StoredCredential) -> [String: String] {
    let space = credential.space
    return [
      "peer": space.peer.rawValue, "protocol": quoted(space.kind), "host": space.host, "port": "\(space.port)",
      "realm": quoted(space.realm), "method": space.method, "user": credential.user,
      "persistence": credential.persistence.rawValue, "role": credential.role.rawValue,
    ]
  }

  /// The credential with these attributes; nil if one is missing or unknown.
  static func credential(_ attributes: [String: String], password: String) -> StoredCredential? {
    guard let peer = attributes["peer"].flatMap(StoredCredential.Space.Peer.init), let kind = attributes["protocol"],
      let host = attributes["host"], let port = attributes["port"].flatMap({ Int($0) }), let realm = attributes["realm"],
      let method = attributes["method"], let user = attributes["user"],
      let persistence = attributes["persistence"].flatMap(StoredCredential.Persistence.init),
      let role = attributes["role"].flatMap(StoredCredential.Role.init)
    else { return nil }
    let space = StoredCredential.Space(
      peer: peer, kind: unquoted(kind), host: host, port: port, realm: unquoted(realm), method: method)
    return StoredCredential(space: space, user: user, password: password, persistence: persistence, role: role)
  }

  /// The text in quotes, so that an empty realm differs from no realm (`none`).
  private static func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "none" }

  private static func unquoted(_ text: String) -> String? {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
    return String(text.dropFirst().dropLast())
  }
}
