import Foundation

/// Outside test data, beside the project's folder; absent from a plain checkout.
enum Conformance {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../shared/conformance").standardized

  static let isPresent = FileManager.default.fileExists(atPath: folder.path)

  static let absence = "the conformance data isn't there: put it into ../shared/conformance beside the project to run these cases"

  static func rows(_ file: String) throws -> [Any] {
    try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: file))) as? [Any] ?? []
  }
}
