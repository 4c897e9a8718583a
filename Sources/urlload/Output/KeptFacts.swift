import Foundation
import ProtocolRules
import URLLoadingSystem

/// What is kept of a response besides its body: its tag in the file of `--etag-save`, and its time as that of the file (`-R`).
struct KeptFacts: Sendable {
  let etagFile: String?
  let keepsTime: Bool

  /// Keeps the facts of a load that has succeeded.
  /// - Parameter path: The file that was written; nil for none.
  /// - Throws: If the file of the tag can't be written.
  func keep(_ response: URLResponse?, _ path: String?) throws(ToolFailure) {
    if keepsTime, let path, let date = KeptFacts.time(of: response) { KeptFacts.set(date, of: path) }
    guard let etagFile, let http = response as? HTTPURLResponse, http.statusCode / 100 == 2 || http.statusCode == 304,
      let tag = http.value(forHTTPHeaderField: "ETag")
    else { return }
    let file = try UnfinishedFile(for: etagFile, .replaced)
    if let code = Descriptor.writeAll(Data("\(tag)\n".utf8), to: file.descriptor) {
      file.discard()
      throw WriteFailure.failure(etagFile, code)
    }
    if case .overwrites(let file) = try file.commit() { try file.write() }
  }

  /// The tag in a file of `--etag-save`: that of no resource, if there is none.
  static func tag(in path: String) -> String {
    let text = NamedContent.read(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(whereSeparator: \.isNewline).first?.trimmingCharacters(in: .whitespaces) ?? ""
    return line.isEmpty ? "\"\"" : line
  }

  /// When the resource was changed last: by the server's `Last-Modified`, or the time of the file of a `file:` URL.
  private static func time(of response: URLResponse?) -> Date? {
    if let http = response as? HTTPURLResponse {
      return http.value(forHTTPHeaderField: "Last-Modified").flatMap { HTTPDate.parse($0, now: Date()) }
    }
    guard let url = response?.url, url.isFileURL else { return nil }
    return changeTime(of: url.path)
  }

  /// When the file was changed last; nil if there is none.
  static func changeTime(of path: String) -> Date? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
  }

  /// Sets the file's times. A failure is ignored, as the file is complete, and so is a time that no file can have.
  private static func set(_ date: Date, of path: String) {
    guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) else { return }
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    utimensat(AT_FDCWD, path, [time, time], 0)
  }
}
