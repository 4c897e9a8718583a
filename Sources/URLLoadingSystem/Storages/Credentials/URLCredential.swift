import Foundation

/// An answer to an authentication challenge: user and password, a client's identity, or trust in a server. Immutable.
open class URLCredential: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.

  /// How long a storage keeps a credential.
  public enum Persistence: UInt, Sendable {
    /// The credential isn't kept: it is for one request.
    case none = 0
    /// Until the process ends.
    case forSession = 1
    /// Beyond the process, if the credential storage can write it down.
    case permanent = 2
    /// As `permanent`; also on the user's other devices if the credential storage supports that.
    case synchronizable = 3
  }

  /// The content of a credential: a password, a client's identity, trust in a server, or nothing.
  package enum Proof: Hashable, Sendable {
    case password(user: String, password: String)
    case identity(SecIdentity, [SecCertificate])
    case trust(SecTrust)
    case nothing
  }

  package let proof: Proof
  private let storedPersistence: Persistence

  /// A credential that proves nothing: no user, no identity, no trust. For tests; as an answer to a challenge it opens nothing.
  public override init() {
    proof = .nothing
    storedPersistence = .none
    super.init()
  }

  /// A credential of a user name and a password.
  public init(user: String, password: String, persistence: URLCredential.Persistence) {
    proof = .password(user: user, password: password)
    storedPersistence = persistence
    super.init()
  }

  /// A credential of a client certificate.
  ///
  /// - Parameters:
  ///   - identity: The certificate and its private key.
  ///   - certArray: Intermediate certificates, `SecCertificate` objects; anything else in it is left out.
  ///   - persistence: How long to keep it. An identity is never kept beyond the process.
  public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence) {
    proof = .identity(identity, (certArray ?? []).compactMap { $0 as? SecCertificate })
    storedPersistence = persistence
    super.init()
  }

  /// A credential that accepts a server's certificates as they were presented. Its persistence is `.forSession`.
  public init(trust: SecTrust) {
    proof = .trust(trust)
    storedPersistence = .forSession
    super.init()
  }

  /// The same as `init(trust:)`.
  public convenience init(forTrust trust: SecTrust) { self.init(trust: trust) }

  /// Decodes a credential of user and password; nil if the archive holds another kind or none.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding,
      let user = try? coder.object(NSString.self, ArchiveKey.user),
      let password = try? coder.object(NSString.self, ArchiveKey.password),
      let number = try? coder.object(NSNumber.self, ArchiveKey.persistence),
      let persistence = Persistence(rawValue: number.uintValue)
    else { return nil }
    proof = .password(user: user as String, password: password as String)
    storedPersistence = persistence
    super.init()
  }

  /// How long the credential is kept.
  open var persistence: URLCredential.Persistence { storedPersistence }

  /// The user name; nil for an identity or a trust.
  open var user: String? {
    if case .password(let user, _) = proof { user } else { nil }
  }

  /// The password; nil for an identity or a trust.
  open var password: String? {
    if case .password(_, let password) = proof { password } else { nil }
  }

  /// Whether there is a password.
  open var hasPassword: Bool {
    if case .password = proof { true } else { false }
  }

  /// The client's identity, if the credential is one.
  open var identity: SecIdentity? {
    if case .identity(let identity, _) = proof { identity } else { nil }
  }

  /// The intermediate certificates, as `SecCertificate` objects, that are sent with the identity; empty for other credentials.
  open var certificates: [Any] {
    if case .identity(_, let certificates) = proof { certificates } else { [] }
  }

  /// True: user and password can be archived. An identity or trust can't: private keys don't belong in archives, and decoding one gives nil.
  open class var supportsSecureCoding: Bool { true }

  /// Encodes user, password and persistence.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(NSNumber(value: storedPersistence.rawValue), forKey: ArchiveKey.persistence)
    guard case .password(let user, let password) = proof else { return }
    coder.encode(user as NSString, forKey: ArchiveKey.user)
    coder.encode(password as NSString, forKey: ArchiveKey.password)
  }

  /// The object itself: it can't change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether both have the same content and persistence.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLCredential else { return false }
    return self === other || (proof == other.proof && storedPersistence == other.storedPersistence)
  }

  /// A hash of the properties that `isEqual(_:)` compares: equal objects have equal hashes.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(proof)
    hasher.combine(storedPersistence)
    return hasher.finalize()
  }

  /// The kind of credential and the user; never the password.
  open override var description: String {
    switch proof {
    case .password(let user, _): "<URLCredential: user \(user), persistence \(storedPersistence)>"
    case .identity: "<URLCredential: identity, persistence \(storedPersistence)>"
    case .trust(let trust): "<URLCredential: trust in \(trust.host)>"
    case .nothing: "<URLCredential: nothing>"
    }
  }

  private enum ArchiveKey {
    static let user = "NS._user"
    static let password = "NS._password"
    static let persistence = "NS._persistence"
  }
}

extension URLCredential: CustomReflectable {
  /// Shows only `description`, so that a dump contains no password.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
