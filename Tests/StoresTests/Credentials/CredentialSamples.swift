import Foundation

@testable import Stores

extension StoredCredential {
  static func sample(
    _ user: String = "ann", _ password: String = "secret", host: String = "h.test", realm: String? = "r",
    persistence: StoredCredential.Persistence = .permanent, role: StoredCredential.Role = .other
  ) -> StoredCredential {
    StoredCredential(space: .sample(host: host, realm: realm), user: user, password: password, persistence: persistence, role: role)
  }
}

extension StoredCredential.Space {
  static func sample(host: String = "h.test", realm: String? = "r") -> StoredCredential.Space {
    StoredCredential.Space(peer: .server, kind: "https", host: host, port: 443, realm: realm, method: "basic")
  }
}

extension TemporaryFolder {
  var location: StoreLocation {
    StoreLocation(environment: ["URL_LOADING_SYSTEM_HOME": url.path(percentEncoded: false)], home: url, app: "tests")
  }
}
