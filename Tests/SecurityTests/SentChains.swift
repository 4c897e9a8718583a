import Foundation
import FoundationNetworking
import Security
import Testing
import URLLoadingTestKit

/// Three roots that the session trusts, and a server of the first one's that sends more certificates than belong to its chain.
struct SentChains {
  /// Has issued the server's certificate.
  let own = NamedAuthority("A")
  /// Have nothing to do with the server.
  let strange = NamedAuthority("B")
  let stranger = NamedAuthority("C")

  struct NamedAuthority {
    let name: String
    let authority: Result<TestCertificateAuthority, any Error>

    init(_ name: String) {
      self.name = name
      authority = Result { try TestCertificateAuthority(name: name) }
    }

    var pem: Data { get throws { try authority.get().pem } }
    var der: Data { get throws { try authority.get().der } }

    var certificate: SecCertificate {
      get throws { try #require(SecCertificateCreateWithData(nil, try der as CFData)) }
    }
  }

  /// What the server sends after its own certificate, by letters: L the same again, A, B and C the roots, I the issuer, U an unrelated server's.
  static let all = ["AB", "BC", "LA", "LLBB", "BCI", "IIBA", "BAI", "UBCI", "CBIAL", "B", "I", ""]

  /// The server's certificate, which comes from `own`, or from an authority below it where `letters` name that.
  func server(_ letters: String, hosts: [String] = TestCertificateAuthority.loopbackHosts) throws -> TestCertificate {
    let root = try own.authority.get()
    let issuer = letters.contains("I") ? try root.makeIntermediate() : root
    let leaf = try issuer.issue(hosts: hosts)
    let unrelated = try strange.authority.get().issue()
    let others = try letters.map { letter in
      switch letter {
      case "A": try own.pem
      case "B": try strange.pem
      case "C": try stranger.pem
      case "I": issuer.pem
      case "U": unrelated.pem
      default: leaf.pem
      }
    }
    return try TestCertificate(chainPEM: others.reduce(leaf.pem, +), privateKeyPEM: leaf.privateKeyPEM)
  }

  /// A session's configuration that trusts all three roots.
  func configuration() throws -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.testing()
    for root in [own, strange, stranger] { configuration.trust(try root.authority.get()) }
    return configuration
  }
}
