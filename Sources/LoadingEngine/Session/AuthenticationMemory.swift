import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// The protection spaces in which a session has used its credentials successfully: later requests are sent with the authorization at once
/// (RFC 7617, 2.2; RFC 7616, 3.6). In memory only.
///
/// Owned by the session; confined to its event loop.
package final class AuthenticationMemory: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.

  /// One protection space that a credential has opened.
  struct Known {
    let space: ProtectionSpace
    /// nil: what the system has, such as a Kerberos ticket.
    let credential: Credential?
    var scope: AuthenticationScope
    var proof: Proof
  }

  /// What later requests are sent with.
  enum Proof {
    case basic
    case digest(DigestSession)
    /// Nothing: the connections under this authentication are authenticated.
    case connection(BoundAuthentication)
  }

  /// Origins whose spaces are kept.
  private static let originLimit = 1000
  /// Spaces that are kept of one origin: a server can make up a realm for each request.
  private static let spaceLimit = 32

  private var byOrigin = BoundedTable<Origin, [Known]>(limit: originLimit)
  /// The strongest method by which a password has been shown to each origin that asks.
  private var strongest = BoundedTable<Asker, Int>(limit: originLimit)

  private struct Asker: Hashable {
    let origin: Origin
    let peer: ProtectionSpace.Peer
  }

  package init() {}

  /// The one check that a load costs where nothing is known.
  var isEmpty: Bool { byOrigin.isEmpty }

  /// The space that covers the request best; nil if none does, or if the URL names another user.
  func known(for target: Target) -> Known? {
    guard let spaces = byOrigin[target.origin] else { return nil }
    let fitting = spaces.compactMap { known -> (known: Known, depth: Int)? in
      guard known.space.peer == .server, known.mayServe(target) else { return nil }
      return known.scope.depth(of: target.pathAndQuery).map { (known, $0) }
    }
    return fitting.max { $0.depth < $1.depth }?.known
  }

  /// The space of a proxy that opened last.
  func known(proxy origin: Origin) -> Known? { byOrigin[origin]?.last { $0.space.peer == .proxy } }

  /// What is known of `space`, wherever in it.
  func known(_ space: ProtectionSpace) -> Known? { byOrigin[space.origin]?.first { $0.space == space } }

  /// Keeps what was learnt, in place of what was known of the space. The same credential's scope grows.
  func remember(_ learnt: Known) {
    var learnt = learnt
    if let known = known(learnt.space), known.credential?.proof == learnt.credential?.proof {
      var scope = known.scope
      scope.widen(to: learnt.scope)
      learnt.scope = scope
    }
    var spaces = byOrigin[learnt.space.origin] ?? []
    spaces.removeAll { $0.space == learnt.space }
    spaces.append(learnt)
    // In the order in which they last opened: the first is the oldest.
    byOrigin[learnt.space.origin] = spaces.suffix(AuthenticationMemory.spaceLimit)
  }

  /// The state of a space that has just been used.
  func update(_ space: ProtectionSpace, _ proof: Proof) {
    guard let index = byOrigin[space.origin]?.firstIndex(where: { $0.space == space }) else { return }
    byOrigin[space.origin]?[index].proof = proof
  }

  /// The server no longer takes `credential`, unless another one has been learnt meanwhile.
  func forget(_ space: ProtectionSpace, _ credential: Credential?) {
    byOrigin[space.origin]?.removeAll { $0.space == space && $0.credential?.proof == credential?.proof }
    if byOrigin[space.origin]?.isEmpty == true { byOrigin[space.origin] = nil }
  }

  /// The session is about to show a password in this space.
  func noteShown(in space: ProtectionSpace) {
    let challenger = Asker(origin: space.origin, peer: space.peer)
    guard space.method.strength > strongest[challenger] ?? 0 else { return }
    strongest[challenger] = space.method.strength
  }

  /// Whether the peer has been shown a password by a stronger method: an attacker may have put a weaker one in its place, to read it.
  func isWeaker(_ space: ProtectionSpace) -> Bool {
    guard !strongest.isEmpty else { return false }
    return space.method.strength < strongest[Asker(origin: space.origin, peer: space.peer)] ?? 0
  }

  package func removeAll() {
    byOrigin.removeAll()
    strongest.removeAll()
  }
}

extension AuthenticationMemory.Known {
  /// Whether it may be used for a URL: one that names a user asks for that one.
  func mayServe(_ target: Target) -> Bool {
    guard let user = target.user, !user.isEmpty else { return true }
    guard let login = credential?.login else { return false }
    return login.user == user && (target.password == nil || target.password == login.password)
  }
}

extension Credential {
  /// The user and password that a URL carries.
  init?(of target: Target) {
    guard let user = target.user, !user.isEmpty else { return nil }
    self.init(.password(user: user, password: target.password ?? ""), persistence: .forSession)
  }
}
