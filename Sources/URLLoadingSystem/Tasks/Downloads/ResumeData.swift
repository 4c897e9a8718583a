import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// What is needed to resume a broken download later, also in another process: a property list with Apple's keys.
///
/// The bytes themselves stay in a temporary file that the data names. It is for this library alone: its form may change.
package struct ResumeData {
  /// The name of the temporary file holding what has arrived.
  let file: String
  let received: Int64
  let total: Int64?
  let validator: ResumeValidator
  let request: URLRequest

  private enum Key {
    static let url = "NSURLSessionDownloadURL"
    static let received = "NSURLSessionResumeBytesReceived"
    static let expected = "NSURLSessionResumeBytesExpected"
    static let request = "NSURLSessionResumeOriginalRequest"
    static let tag = "NSURLSessionResumeEntityTag"
    static let date = "NSURLSessionResumeServerDownloadDate"
    static let file = "NSURLSessionResumeInfoTempFileName"
    static let version = "NSURLSessionResumeInfoVersion"
  }

  private static let version = 2

  init(_ point: ResumePoint, request: URLRequest) {
    file = point.file.lastPathComponent
    received = point.received
    total = point.total
    validator = point.validator
    self.request = request
  }

  /// Only the file's name is kept: data that comes from elsewhere must not reach other folders.
  func point(in folder: URL) -> ResumePoint {
    ResumePoint(
      file: folder.appending(path: file, directoryHint: .notDirectory), received: received, total: total, validator: validator)
  }

  /// Where downloads are written unless tests say otherwise.
  static var folder: URL { URL(filePath: NSTemporaryDirectory(), directoryHint: .isDirectory) }

  // MARK: as data

  var data: Data? {
    // A body can't be part of it: only GET can be resumed. Attached cookies are those of another time.
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    guard let record = try? encoder.encode(RequestRecord(request.load.withoutAttachedCookies)) else { return nil }
    var list: [String: Any] = [
      Key.version: ResumeData.version, Key.file: file, Key.received: received, Key.request: record,
      Key.url: request.url?.absoluteString ?? "",
    ]
    switch validator.kind {
    case .tag: list[Key.tag] = validator.ifRange
    case .date: list[Key.date] = validator.ifRange
    }
    if let total { list[Key.expected] = total }
    return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  /// Nil if `data` isn't what this library made.
  init?(_ data: Data) {
    guard let list = ResumeData.list(data), (list[Key.version] as? NSNumber)?.intValue == ResumeData.version,
      let file = list[Key.file] as? String, ResumeData.isName(file),
      let received = (list[Key.received] as? NSNumber)?.int64Value, received >= 0,
      let validator = ResumeData.validator(list), let request = ResumeData.request(list[Key.request])
    else { return nil }
    self.file = file
    self.received = received
    self.validator = validator
    self.request = request
    let total = (list[Key.expected] as? NSNumber)?.int64Value
    self.total = total.flatMap { $0 >= received ? $0 : nil }
  }

  /// The name of the file that `data` refers to, in the folder for downloads; nil if it is of an upload, or isn't resume data.
  package static func fileName(in data: Data) -> String? {
    (list(data)?[Key.file] as? String).flatMap { isName($0) ? $0 : nil }
  }

  private static func list(_ data: Data) -> [String: Any]? {
    guard BinaryPropertyList.isSound(data) else { return nil }
    return (try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)) as? [String: Any]
  }

  /// A name this library gives: no other file of the folder is ever written.
  private static func isName(_ file: String) -> Bool {
    file.hasPrefix(DownloadFile.namePrefix) && file.utf8.count < 64 && !file.contains("/") && !file.contains("\0")
  }

  private static func validator(_ list: [String: Any]) -> ResumeValidator? {
    if let tag = list[Key.tag] as? String { return ResumeValidator(tag: tag) }
    return (list[Key.date] as? String).flatMap { ResumeValidator(date: $0) }
  }

  private static func request(_ value: Any?) -> URLRequest? {
    guard let data = value as? Data, BinaryPropertyList.isSound(data),
      let record = try? PropertyListDecoder().decode(RequestRecord.self, from: data)
    else { return nil }
    return URLRequest(load: record.request(.none).withoutAttachedCookies)
  }
}
