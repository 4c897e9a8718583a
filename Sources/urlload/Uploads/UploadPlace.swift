import Foundation
import LoadingModel
import URLLoadingSystem

/// Remembers where a server keeps the received part of an upload, if it says so: for the attempts of one run, and with `-C -` for later runs, in a
/// file `FILE.upload-DIGEST.json` beside the sent file, one for each URL and user.
///
/// Owned by a `Transfer`; gets responses on the session's delegate queue.
final class UploadPlace: Sendable {
  private let path: String
  private let file: SentFile?
  private let named: URL?
  private let url: URLIdentity
  /// Path of the record for later runs; nil if none is kept.
  private let recordPath: String?
  private let record: Mutex<UploadRecord?>

  /// - Parameters:
  ///   - request: The request that the user asked for.
  ///   - user: The user, if the URL alone doesn't name one.
  ///   - keeps: Whether a record is kept for later runs, and an earlier run's upload is resumed.
  init(_ path: String, _ request: URLRequest, user: String? = nil, keeps: Bool) {
    self.path = path
    named = request.url
    let (url, file) = (URLIdentity(request.url?.absoluteString ?? "", user: user), SentFile(path))
    (self.url, self.file) = (url, file)
    recordPath = keeps ? UploadPlace.recordPath(path, url) : nil
    let kept = recordPath.flatMap { Sidecar.load(UploadRecord.self, $0) }
    record = Mutex(kept.flatMap { url.matches(masked: $0.url, key: $0.key) && $0.file == file ? $0 : nil })
  }

  /// Path of the record of the upload of a file to a URL. Each user of a URL has a record of its own.
  static func recordPath(_ path: String, _ url: URLIdentity) -> String { "\(path).upload-\(url.key.prefix(8)).json" }

  /// Whether a later run can resume the upload after an interruption.
  var isKept: Bool { recordPath != nil && isKnown }
  /// Whether the server has said where it keeps the upload.
  var isKnown: Bool { record.withLock { $0 != nil } }
  /// Whether a status of 400 or above is a failure even without `--fail`, because the file wasn't uploaded then.
  var demandsSuccess: Bool { recordPath != nil }

  /// The resume data for a task that continues the upload; nil if it must begin anew.
  func resumeData(_ request: URLRequest) -> Data? {
    record.withLock { $0 }?.resumeData(request, path: path)
  }

  /// Reads the URL of the upload's resource out of an informational response (104, Upload Resumption Supported), and stores it in the upload's
  /// record. Other responses are ignored.
  /// - Parameter request: The request that the response belongs to; nil, without effect, if it is unknown.
  /// - Throws: If the record can't be written.
  func note(_ response: HTTPURLResponse, to request: URLRequest?) throws(ToolFailure) {
    guard response.statusCode == 104, let request, let named, let file,
      let found = UploadRecord(response, to: request, named: named, url: url, file: file)
    else { return }
    record.withLock { $0 = found }
    if let recordPath { try Sidecar.save(found, recordPath) }
  }

  /// Removes the record, because the upload is complete or can't be resumed.
  func forget() {
    record.withLock { $0 = nil }
    if let recordPath { unlink(recordPath) }
  }

  /// Whether the error means that the server doesn't have the upload any more: a lost connection without resume data.
  func isForgotten(after error: any Error) -> Bool {
    guard isKnown, let error = error as? URLError else { return false }
    return error.code == .networkConnectionLost && error.userInfo[NSURLSessionUploadTaskResumeData] == nil
  }
}
