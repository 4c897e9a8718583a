import CLoadingNames
import Foundation
import LoadingModel
import ProtocolRules

/// The public suffixes of this system: from libpsl, else from the list's file, else guessed (Documentation/decisions/0007).
///
/// The first use loads the list, which blocks for a few milliseconds: `prepare` loads it on another thread than the event loop.
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

  /// Whether the list is loaded, so that `isPublicSuffix` doesn't block.
  package static var isPrepared: Bool { wasPrepared.withLock { $0 } }

  /// Loads the list unless it is loaded already. Blocks.
  package static func prepare() {
    _ = source
    wasPrepared.withLock { $0 = true }
  }

  /// Not the queue of the stores' observers: these are the app's code, and one that waits for a load may wait for the list.
  private static let preparations = DispatchQueue(label: "URLLoadingSystem.public suffixes")

  /// Loads the list on another thread unless it is loaded already, and calls `completion` there.
  package static func prepare(then completion: @escaping @Sendable () -> Void) {
    preparations.async {
      prepare()
      completion()
    }
  }

  /// Reads a list in the format of publicsuffix.org; nil if there is no such file.
  static func list(at path: String) -> PublicSuffixList? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    let list = PublicSuffixList(String(decoding: data, as: UTF8.self)) { URL(string: "http://\($0)/")?.host }
    return list.isEmpty ? nil : list
  }

  package func isPublicSuffix(_ domain: String) -> Bool {
    switch SystemPublicSuffixes.source {
    // libpsl doesn't recognize names that end in a dot.
    case .library: uls_is_public_suffix(SystemPublicSuffixes.withoutRoot(domain)) != 0
    case .list(let list): list.isPublicSuffix(domain)
    case .guess(let guess): guess.isPublicSuffix(domain)
    }
  }
}
