import BackgroundTransfers
import Foundation
import URLLoadingSystem

extension TransferFiles {
  /// Removes the incomplete file that `resumeData` names, because no transfer will continue it, unless `other` names it, too.
  func removePart(_ resumeData: Data?, keeping other: Data?) {
    if let name = partName(resumeData, keeping: other) { unlink(path(name)) }
  }

  /// Name of the incomplete file in the daemon's folder that `resumeData` names; nil if it names none, or if `other` names the same.
  func partName(_ resumeData: Data?, keeping other: Data?) -> String? {
    guard let resumeData, let name = ResumeData.fileName(in: resumeData), kind(name) == .partial else { return nil }
    if let other, ResumeData.fileName(in: other) == name { return nil }
    return name
  }

  // MARK: errors of the disk

  static func diskFault(_ code: Int32) -> ErrorValue {
    let text = String(cString: strerror(code))
    return code == ENOSPC || code == EDQUOT
      ? URLErrorValue.make(.cannotWriteToFile, "The disk of the background sessions is full; make room there.")
      : URLErrorValue.make(.cannotWriteToFile, "The file can't be kept (\(text)).")
  }
}
