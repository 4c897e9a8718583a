extension TrustRequirement {
  /// The requirement about revocation. Only the revocation lists of the trust store are consulted; nothing is fetched.
  package enum Revocation: Sendable, Hashable {
    case unasked
    /// Revocation is checked, and an unknown status is accepted. `options` are those of SecPolicyCreateRevocation.
    case asked(options: UInt)
    /// Revocation is checked, and a chain with an unknown status isn't trusted.
    case required(options: UInt)

    /// The value of kSecRevocationCRLMethod.
    package static let byLists: UInt = 1 << 1

    var isRequired: Bool { if case .required = self { true } else { false } }

    /// Whether revocation lists are consulted: always, unless other methods are requested explicitly.
    var looksIntoLists: Bool {
      switch self {
      case .unasked: true
      case .asked(let options), .required(let options): options & Revocation.byLists != 0
      }
    }
  }
}

extension TrustVerdict {
  /// This verdict, or `revocationUnknown` if the requirement demands proof that nothing is revoked and the lists don't provide it.
  func meeting(_ requirement: TrustRequirement) -> TrustVerdict {
    guard isTrusted, !isUnrevoked, requirement.revocation.isRequired else { return self }
    return TrustVerdict(.revocationUnknown)
  }
}
