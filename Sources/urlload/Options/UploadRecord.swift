import Foundation
import LoadingModel
import ProtocolRules
import URLLoadingSystem

/// What is known of an upload that a server lets a client resume. Holds nothing of the request: its header fields come from the command
/// line each time, so no credentials are stored on disk.
struct UploadRecord: Codable, Sendable, Equatable {
  /// As the user named it, without a password, or without the user where there is no password.
  var url: String
  /// Of the `URLIdentity`; nil in records of older versions.
  var key: String?
  /// Where it led to, without a login.
  var target: URL
  /// Where the server keeps what it has.
  var location: URL
  var version: Int
  var file: SentFile

  /// What the server's answer says, if it says that the upload can be resumed; nil if it doesn't, or was led to another origin, which isn't
  /// to get what the user gives for this one.
  /// - Parameters:
  ///   - request: The request that is answered.
  ///   - named: The URL that the user named.
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

  /// What a task needs to go on.
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

/// What tells whether a file is still the one of which a part has been sent.
struct SentFile: Codable, Sendable, Equatable {
  var size: Int64
  /// Nanoseconds since 1970.
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
  /// The URL with this login, percent-encoded, instead of its own.
  fileprivate func with(user: String?, password: String?) -> URL {
    guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
    components.percentEncodedUser = user
    components.percentEncodedPassword = password
    return components.url ?? self
  }
}
