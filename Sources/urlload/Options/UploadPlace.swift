import Foundation
import LoadingModel
import URLLoadingSystem

/// Where a server keeps what it has of a file that is being sent, as far as it has said so: for the tries of one run, and with `-C -` for
/// those of later ones, beside the file as `FILE.upload-DIGEST.json`, one for each URL and user.
///
/// Owned by a `Transfer`; told of answers on the session's delegate queue.
final class UploadPlace: Sendable {
  private let path: String
  private let file: SentFile?
  private let named: URL?
  private let url: URLIdentity
  /// Nil where nothing is kept for later runs.
  private let recordPath: String?
  private let record: Mutex<UploadRecord?>

  /// - Parameters:
  ///   - request: What the user asked for.
  ///   - user: Who asks, where the URL alone doesn't say so.
  ///   - keeps: Whether later runs may resume the upload, and this one resumes earlier ones.
  init(_ path: String, _ request: URLRequest, user: String? = nil, keeps: Bool) {
    self.path = path
    named = request.url
    let (url, file) = (URLIdentity(request.url?.absoluteString ?? "", user: user), SentFile(path))
    (self.url, self.file) = (url, file)
    recordPath = keeps ? UploadPlace.recordPath(path, url) : nil
    let kept = recordPath.flatMap { Sidecar.load(UploadRecord.self, $0) }
    record = Mutex(kept.flatMap { url.matches(masked: $0.url, key: $0.key) && $0.file == file ? $0 : nil })
  }

  /// Where is kept what is known of the upload of a file to a URL: users of one server have records of their own.
  static func recordPath(_ path: String, _ url: URLIdentity) -> String { "\(path).upload-\(url.key.prefix(8)).json" }

  /// Whether an interruption leaves what a later run can resume.
  var isKept: Bool { recordPath != nil && isKnown }
  /// Whether the server has said where it keeps the upload.
  var isKnown: Bool { record.withLock { $0 != nil } }
  /// Whether a status of 400 and above is a failure even without `--fail`: the file isn't there then.
  var demandsSuccess: Bool { recordPath != nil }

  /// What a task needs to go on; nil if it has to begin anew.
  func resumeData(_ request: URLRequest) -> Data? {
    record.withLock { $0 }?.resumeData(request, path: path)
  }

  /// An informational response (104) may name the place.
  /// - Throws: If that can't be written beside the file.
  func note(_ response: HTTPURLResponse, to request: URLRequest?) throws(ToolFailure) {
    guard response.statusCode == 104, let request, let named, let file,
      let found = UploadRecord(response, to: request, named: named, url: url, file: file)
    else { return }
    record.withLock { $0 = found }
    if let recordPath { try Sidecar.save(found, recordPath) }
  }

  /// The upload has ended, or can't be resumed.
  func forget() {
    record.withLock { $0 = nil }
    if let recordPath { unlink(recordPath) }
  }

  /// Whether a task has ended with this error because the server knows nothing of the upload any more: then a connection that was lost
  /// leaves nothing to resume.
  func isForgotten(after error: any Error) -> Bool {
    guard isKnown, let error = error as? URLError else { return false }
    return error.code == .networkConnectionLost && error.userInfo[NSURLSessionUploadTaskResumeData] == nil
  }
}
