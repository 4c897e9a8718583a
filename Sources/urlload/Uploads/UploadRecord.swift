import Foundation
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// The record of an upload that the server allows to be resumed. It has nothing of the request, whose header fields come from the command line each
/// time, so that no credentials are stored on disk.
struct UploadRecord: Codable, Sendable, Equatable {
  /// The URL as the user gave it, without password, or without user if there is no password.
  var url: String
  /// The key of the `URLIdentity`; nil in records of older versions.
  var key: String?
  /// The URL that was uploaded to, after redirects, without a login.
  var target: URL
  /// The URL at which the server keeps the upload.
  var location: URL
  var version: Int
  var file: SentFile

  /// The record from a server's response. nil if the response doesn't allow resuming, or if the request was redirected to another origin, which
  /// mustn't get what the user gives for this one.
  /// - Parameters:
  ///   - request: The request of the response.
  ///   - named: The URL that the user gave.
  init?(_ response: HTTPURLResponse, to request: URLRequest, named: URL, url: URLIdentity, file: SentFile) {
    guard let target = request.url, let origin = Target(target)?.origin, origin == Target(named)?.origin,
      let resource = UploadResource(response.head, url: target)
    else { return nil }
    self.url = url.masked
    key = url.key
    self.target = target.with(user: nil, password: nil)
    self.location = resource.location
    version = resource.version.number
    self.file = file
  }

  /// The resume data for a task that continues the upload.
  func resumeData(_ request: URLRequest, path: String) -> Data? {
    var load = request.load
    load.mutate { fields in
      fields.url = target.with(user: request.url?.user(percentEncoded: true), password: request.url?.password(percentEncoded: true))
      fields.body = .file(URL(filePath: path))
    }
    let resource = UploadResource(location: location, version: UploadDraftVersion(version))
    return UploadResumeData(load, resource, length: file.size)?.encoded
  }
}

/// Size and time of modification of a sent file, by which a change is noticed.
struct SentFile: Codable, Sendable, Equatable {
  var size: Int64
  /// Time of modification, in nanoseconds since 1970.
  var modified: Int64

  /// Nil if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }
}

extension URL {
  /// The URL with this percent-encoded login in the place of its own.
  fileprivate func with(user: String?, password: String?) -> URL {
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    components.percentEncodedUser = user
    components.percentEncodedPassword = password
    return components.url ?? self
  }
}
