import Foundation
import LoadingModel
import Stores

/// The credentials of a storage that outlive the process: converts the credential store's list into a table of public objects.
final class PermanentCredentials: Sendable {
  /// The table, and whether another process has changed it since the last `look()`.
  struct Look {
    var table: CredentialTable
    var isChanged: Bool
  }

  private struct State {
    var generation: Int?
    var table = CredentialTable()
  }

  private let store: CredentialStore
  private let state = Mutex(State())

  init(_ store: CredentialStore) { self.store = store }

  /// Whether `look()` answers without blocking: the list is in memory and unchanged.
  var isReady: Bool { store.current != nil }

  /// Reads the permanent credentials. May block on the disk or the Secret Service.
  func look() -> Look {
    let snapshot = store.load()
    return state.withLock { state in
      if state.generation == snapshot.generation { return Look(table: state.table, isChanged: false) }
      let isFirst = state.generation == nil
      state.generation = snapshot.generation
      state.table = CredentialTable(snapshot.list)
      return Look(table: state.table, isChanged: !isFirst)
    }
  }

  /// Writes a password credential; identities and trusts aren't written. May block on the disk or the Secret Service.
  func keep(_ credential: URLCredential, for space: URLProtectionSpace, asDefault: Bool) {
    guard let stored = StoredCredential(credential, space, role: asDefault ? .standard : .other) else { return }
    store.keep(stored)
  }

  /// Removes the credential of a user. May block on the disk or the Secret Service.
  func forget(_ user: String, for space: URLProtectionSpace) { store.forget(user: user, in: StoredCredential.Space(space)) }

  /// Removes all permanent credentials. May block on the disk or the Secret Service.
  func forgetAll() { store.forgetAll() }
}

extension CredentialTable {
  fileprivate init(_ list: CredentialList) {
    for stored in list.credentials {
      _ = set(URLCredential(stored), for: URLProtectionSpace(stored.space), asDefault: stored.role == .standard)
    }
  }
}

extension StoredCredential {
  /// nil for a credential without password, or whose persistence doesn't go beyond the process.
  fileprivate init?(_ credential: URLCredential, _ space: URLProtectionSpace, role: Role) {
    guard let user = credential.user, let password = credential.password else { return nil }
    let persistence: Persistence
    switch credential.persistence {
    case .permanent: persistence = .permanent
    case .synchronizable: persistence = .synchronizable
    case .none, .forSession: return nil
    }
    self.init(space: Space(space), user: user, password: password, persistence: persistence, role: role)
  }
}

extension StoredCredential.Space {
  /// Normalises host case and default port, so that spaces which are equal (`URLProtectionSpace.isEqual(_:)`) are stored as one.
  init(_ space: URLProtectionSpace) {
    let kind = space.isProxy() ? space.proxyType : space.protocol
    let port = space.port == 0 && !space.isProxy() ? Origin.defaultPort(scheme: kind ?? "") ?? 0 : space.port
    self.init(
      peer: space.isProxy() ? .proxy : .server, kind: kind, host: space.host.lowercased(), port: port, realm: space.realm,
      method: space.authenticationMethod)
  }
}

extension URLProtectionSpace {
  fileprivate convenience init(_ space: StoredCredential.Space) {
    switch space.peer {
    case .server:
      self.init(host: space.host, port: space.port, protocol: space.kind, realm: space.realm, authenticationMethod: space.method)
    case .proxy:
      self.init(proxyHost: space.host, port: space.port, type: space.kind, realm: space.realm, authenticationMethod: space.method)
    }
  }
}

extension URLCredential {
  fileprivate convenience init(_ stored: StoredCredential) {
    let persistence: Persistence =
      switch stored.persistence {
      case .permanent: .permanent
      case .synchronizable: .synchronizable
      }
    self.init(user: stored.user, password: stored.password, persistence: persistence)
  }
}
