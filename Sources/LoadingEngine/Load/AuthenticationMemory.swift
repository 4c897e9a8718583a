import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// The protection spaces in which a session's credentials have been accepted: later requests carry the authorization from the beginning (RFC
/// 7617, 2.2; RFC 7616, 3.6). In memory only.
///
/// Owned by the session; confined to its event loop.
package final class AuthenticationMemory: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.

  /// A protection space, with the credential that it has accepted.
  struct Known {
    let space: ProtectionSpace
    /// nil for the system's own login, such as a Kerberos ticket.
    let credential: Credential?
    var scope: AuthenticationScope
    var proof: Proof
  }

  /// How later requests are authorized.
  enum Proof {
    case basic
    case digest(DigestSession)
    /// No field is sent: the request uses a connection that belongs to this bound authentication.
    case connection(BoundAuthentication)
  }

  /// The most origins whose protection spaces are remembered.
  private static let originLimit = 1000
  /// The most protection spaces of one origin: a server can invent a realm for each request.
  private static let spaceLimit = 32

  private var byOrigin = BoundedTable<Origin, [Known]>(limit: originLimit)
  /// The strength of the strongest method by which a password has been sent, for each server and proxy.
  private var strongest = BoundedTable<Asker, Int>(limit: originLimit)

  private struct Asker: Hashable {
    let origin: Origin
    let peer: ProtectionSpace.Peer
  }

  package init() {}

  /// Whether no space is known, the common case: a load then does no other check.
  var isEmpty: Bool { byOrigin.isEmpty }

  /// The protection space that covers the request most closely, of several the one that has accepted a credential last; nil if none does, or if the URL
  /// names another user.
  func known(for target: Target) -> Known? {
    guard let spaces = byOrigin[target.origin] else { return nil }
    let fitting = spaces.compactMap { known -> (known: Known, depth: Int)? in
      guard known.space.peer == .server, known.mayServe(target) else { return nil }
      return known.scope.depth(of: target.pathAndQuery).map { (known, $0) }
    }
    // `max` returns the first of equals.
    return fitting.reversed().max { $0.depth < $1.depth }?.known
  }

  /// The protection space of a proxy that has accepted a credential last; nil if there is none.
  func known(proxy origin: Origin) -> Known? { byOrigin[origin]?.last { $0.space.peer == .proxy } }

  /// What is known of exactly this protection space, whatever path its scope covers; nil if nothing is.
  func known(_ space: ProtectionSpace) -> Known? { byOrigin[space.origin]?.first { $0.space == space } }

  /// Remembers an accepted credential in place of what was known of its space. If the credential is the same, the scopes are joined.
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
    // The spaces are in the order in which they last accepted a credential: the oldest are dropped.
    byOrigin[learnt.space.origin] = spaces.suffix(AuthenticationMemory.spaceLimit)
  }

  /// Replaces the state of a space that has just been used, such as a Digest nonce and its count.
  func update(_ space: ProtectionSpace, _ proof: Proof) {
    guard let index = byOrigin[space.origin]?.firstIndex(where: { $0.space == space }) else { return }
    byOrigin[space.origin]?[index].proof = proof
  }

  /// Forgets `credential`, which the server has refused, unless the space has another one by now.
  func forget(_ space: ProtectionSpace, _ credential: Credential?) {
    byOrigin[space.origin]?.removeAll { $0.space == space && $0.credential?.proof == credential?.proof }
    if byOrigin[space.origin]?.isEmpty == true { byOrigin[space.origin] = nil }
  }

  /// Notes that the session is about to send a password in this space.
  func noteShown(in space: ProtectionSpace) {
    let challenger = Asker(origin: space.origin, peer: space.peer)
    guard space.method.strength > strongest[challenger] ?? 0 else { return }
    strongest[challenger] = space.method.strength
  }

  /// Whether a password has been sent to this peer by a stronger method before: an attacker may offer a weaker one in order to read it.
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
  /// Whether the credential may be used for a URL: if the URL names a user, only that user's.
  func mayServe(_ target: Target) -> Bool {
    guard let user = target.user, !user.isEmpty else { return true }
    guard let login = credential?.login else { return false }
    return login.user == user && (target.password == nil || target.password == login.password)
  }
}

extension Credential {
  /// The credential in a URL, its user and password; nil if the URL has none.
  init?(of target: Target) {
    guard let user = target.user, !user.isEmpty else { return nil }
    self.init(.password(user: user, password: target.password ?? ""), persistence: .forSession)
  }
}
