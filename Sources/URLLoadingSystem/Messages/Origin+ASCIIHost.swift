import Foundation
import LoadingModel

extension Origin {
  /// The ASCII form (punycode) of an international name, as it is in the origins of URLs; a name in ASCII is returned unchanged.
  static func asciiHost(_ name: String) -> String {
    guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
    return Target(URL(string: "https://\(name)/"))?.origin.host ?? name
  }
}
