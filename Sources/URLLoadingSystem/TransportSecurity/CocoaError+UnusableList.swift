import Foundation

extension CocoaError {
  /// The error of a list, such as one of revoked certificates, that an app has given and that can't be used.
  ///
  /// - Parameters:
  ///   - what: The list's name, with which the text begins, such as "the revocation list".
  ///   - file: The file from which it was read; nil if it was given as data.
  static func unusable(_ what: String, _ problem: String, _ file: URL?) -> CocoaError {
    var facts: [String: Any] = [NSLocalizedDescriptionKey: "\(what) can't be used: \(problem)"]
    facts[NSURLErrorKey] = file
    return CocoaError(.fileReadCorruptFile, userInfo: facts)
  }
}
