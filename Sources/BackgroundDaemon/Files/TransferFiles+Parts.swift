import BackgroundTransfers
import Foundation
import URLLoadingSystem

extension TransferFiles {
  /// The part of a download that isn't going to be continued.
  func removePart(_ resumeData: Data?, keeping other: Data?) {
    if let name = partName(resumeData, keeping: other) { unlink(path(name)) }
  }

  /// Its name; nil if there is none, or `other` names it, too.
  func partName(_ resumeData: Data?, keeping other: Data?) -> String? {
    guard let resumeData, let name = ResumeData.fileName(in: resumeData), kind(name) == .partial else { return nil }
    if let other, ResumeData.fileName(in: other) == name { return nil }
    return name
  }

  // MARK: faults

  static func diskFault(_ code: Int32) -> ErrorValue {
    let text = String(cString: strerror(code))
    return code == ENOSPC || code == EDQUOT
      ? URLErrorValue.make(.cannotWriteToFile, "The disk of the background sessions is full; make room there.")
      : URLErrorValue.make(.cannotWriteToFile, "The file can't be kept (\(text)).")
  }
}
