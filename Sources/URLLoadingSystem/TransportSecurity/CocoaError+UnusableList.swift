import Foundation

extension CocoaError {
  /// Why a list that an app has given can't be used.
  ///
  /// - Parameters:
  ///   - what: Whose description the text begins with, such as "the revocation list".
  ///   - file: Where it was read; nil if it was given as data.
  static func unusable(_ what: String, _ problem: String, _ file: URL?) -> CocoaError {
    var facts: [String: Any] = [NSLocalizedDescriptionKey: "\(what) can't be used: \(problem)"]
    facts[NSURLErrorKey] = file
    return CocoaError(.fileReadCorruptFile, userInfo: facts)
  }
}
