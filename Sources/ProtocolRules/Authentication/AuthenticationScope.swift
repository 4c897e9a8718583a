import Foundation
import LoadingModel

/// The part of an origin in which requests carry a credential before the server asks for it.
package enum AuthenticationScope: Sendable, Equatable {
  case origin
  /// Request targets whose path begins with one of these paths.
  case paths([String])

  /// The scope after a Basic login at `uri`: its folder. RFC 7617, 2.2: "a client SHOULD assume that all paths at or deeper than the depth of the
  /// last symbolic element in the path field" belong to the space. Each request that succeeds may add a folder.
  package static func basic(_ uri: String) -> AuthenticationScope { .paths([directory(of: uri)]) }

  /// The scope of a Digest challenge. RFC 7616, 3.3, `domain`: "If this parameter is omitted or its value is empty, the client SHOULD assume that
  /// the protection space consists of all URIs on the responding server." URIs on other servers are left out: the authorization could be replayed
  /// there.
  package static func digest(_ challenge: DigestChallenge, at url: URL) -> AuthenticationScope {
    guard !challenge.domain.isEmpty, let origin = Target(url)?.origin else { return .origin }
    let targets = challenge.domain.compactMap { Target(URL(string: $0, relativeTo: url)?.absoluteURL) }
    return .paths(targets.filter { $0.origin == origin }.map { path(of: $0.pathAndQuery) })
  }

  /// The length of the longest path in the scope that `uri`, a request target, begins with; 0 for the whole origin, nil outside the scope. Of
  /// several scopes, the one with the greatest number fits best.
  package func depth(of uri: String) -> Int? {
    switch self {
    case .origin: return 0
    case .paths(let paths):
      let path = AuthenticationScope.path(of: uri)
      return paths.filter { path.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
    }
  }

  package mutating func widen(to other: AuthenticationScope) {
    guard case .paths(var paths) = self, case .paths(let added) = other else {
      self = .origin
      return
    }
    for path in added where depth(of: path) == nil {
      paths.removeAll { $0.utf8.starts(with: path.utf8) }
      paths.append(path)
    }
    self = .paths(Array(paths.suffix(AuthenticationScope.pathLimit)))
  }

  /// The most paths of one scope; when there are more, the oldest are dropped.
  private static let pathLimit = 64

  private static func path(of uri: String) -> String {
    String(uri.prefix { $0 != "?" })
  }

  private static func directory(of uri: String) -> String {
    let path = path(of: uri)
    guard let slash = path.lastIndex(of: "/") else { return "/" }
    return String(path[...slash])
  }
}
