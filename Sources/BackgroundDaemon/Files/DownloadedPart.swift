import Foundation

/// The file that a download's resume data refers to.
enum DownloadedPart {
  private static let key = "NSURLSessionResumeInfoTempFileName"

  /// nil if the data is of an upload, or isn't resume data. A name without a folder.
  static func fileName(resumeData: Data) -> String? {
    guard let list = try? PropertyListSerialization.propertyList(from: resumeData, options: [], format: nil) as? [String: Any],
      let name = list[key] as? String, !name.isEmpty, !name.contains("/"), !name.contains("\0"), name != ".", name != ".."
    else { return nil }
    return name
  }
}
