import CLoadingNames
import Foundation
import LoadingModel
import ProtocolRules

/// Public suffixes as this system knows them: libpsl, else the list's file, else a guess (Documentation/decisions/0007).
///
/// The first question loads the list, which blocks for some milliseconds at most: `prepare` does so off the event loop.
package struct SystemPublicSuffixes: PublicSuffixes {
  private enum Source: Sendable {
    case library
    case list(PublicSuffixList)
    case guess(GuessedPublicSuffixes)
  }

  private static let source: Source = {
    if uls_public_suffixes_available() != 0 { return .library }
    return list(at: "/usr/share/publicsuffix/public_suffix_list.dat").map { .list($0) } ?? .guess(GuessedPublicSuffixes())
  }()

  package init() {}

  private static let wasPrepared = Mutex(false)

  /// Whether the list has been loaded: questions don't block.
  package static var isPrepared: Bool { wasPrepared.withLock { $0 } }

  /// Loads the list if that hasn't happened.
  package static func prepare() {
    _ = source
    wasPrepared.withLock { $0 = true }
  }

  /// The list in a file of publicsuffix.org's form; nil if there is none.
  static func list(at path: String) -> PublicSuffixList? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    let list = PublicSuffixList(String(decoding: data, as: UTF8.self)) { URL(string: "http://\($0)/")?.host }
    return list.isEmpty ? nil : list
  }

  package func isPublicSuffix(_ domain: String) -> Bool {
    switch SystemPublicSuffixes.source {
    // libpsl counts no name that ends in a dot.
    case .library: uls_is_public_suffix(SystemPublicSuffixes.withoutRoot(domain)) != 0
    case .list(let list): list.isPublicSuffix(domain)
    case .guess(let guess): guess.isPublicSuffix(domain)
    }
  }
}
