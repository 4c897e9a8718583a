import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

/// The contents of a download's resume data, with which it can be resumed later, also in another process: a property list with Apple's keys.
///
/// The bytes received so far stay in a temporary file that the data names. Only this library reads the data: its form may change.
package struct ResumeData {
  /// The name of the temporary file that holds the bytes received so far.
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

  /// Where the download is resumed from. The data names a file without its folder, so resume data from elsewhere can't reach files in other folders.
  func point(in folder: URL) -> ResumePoint {
    ResumePoint(
      file: folder.appending(path: file, directoryHint: .notDirectory), received: received, total: total, validator: validator)
  }

  /// Where downloads are written unless tests say otherwise.
  static var folder: URL { URL(filePath: NSTemporaryDirectory(), directoryHint: .isDirectory) }

  // MARK: The property list

  var data: Data? {
    // The request's body isn't kept, as only GET can be resumed; nor are cookies that the session attached, which may be outdated by then.
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

  /// Reads resume data; nil if this library hasn't made `data`.
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

  /// Number of bytes that the file named by `data` has received; nil if it is of an upload, or isn't resume data.
  package static func received(in data: Data) -> Int64? { (list(data)?[Key.received] as? NSNumber)?.int64Value }

  private static func list(_ data: Data) -> [String: Any]? {
    guard BinaryPropertyList.isSound(data) else { return nil }
    return (try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)) as? [String: Any]
  }

  /// Whether this library gives its download files such names; others are refused, so that resume data can't have another file of the folder written.
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
