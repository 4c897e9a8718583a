import Foundation
import LoadingModel

/// The state that a later task, perhaps of another process, needs to resume an upload; encoded, it is the app's opaque resume data.
///
/// It contains the request's header fields, and so perhaps credentials that the app put there: an app must keep it as safe as those.
package struct UploadResumeData: Codable, Sendable {
  /// The source of the body's bytes.
  package enum Source: Codable, Sendable, Hashable {
    case data(Data)
    case file(URL)
    /// The app is asked for a body stream.
    case stream
  }

  private static let currentVersion = 2

  private let version: Int
  private let record: RequestRecord
  package let resource: UploadResource
  package let source: Source
  /// The length of the whole body in bytes; nil if unknown.
  package let length: Int64?
  /// A stamp of the file, by which a change of it is noticed; nil if the body isn't a file.
  package let stamp: String?
  /// The largest number of bytes that the server has said to have; nil in data of earlier versions. The server is asked again in any case.
  package let offset: Int64?

  /// nil for a request whose body can't be sent again by another process, and for a resource at another origin than the request, to which a redirect
  /// has led: the later task begins with the request.
  package init?(_ request: LoadRequest, _ resource: UploadResource, length: Int64?, stamp: String? = nil, offset: Int64? = nil) {
    guard let url = request.url, resource.beside(url) != nil else { return nil }
    switch request.body {
    case .data(let data): source = .data(data)
    case .file(let url, _, _): source = .file(url)
    case .suppliedStream: source = .stream
    case .none, .stream, .parts, .pieces: return nil
    }
    version = UploadResumeData.currentVersion
    // Attached cookies are left out: they may be outdated when the upload is resumed.
    record = RequestRecord(request.withoutAttachedCookies)
    self.resource = resource
    self.length = length
    self.stamp = stamp
    self.offset = offset
  }

  /// nil if `data` isn't what `encoded` returned. Only binary property lists are accepted: Foundation's reader of XML ones ends the process if a
  /// number isn't UTF-8.
  package init?(_ data: Data) {
    guard BinaryPropertyList.isSound(data),
      let read = try? PropertyListDecoder().decode(UploadResumeData.self, from: data),
      read.version == UploadResumeData.currentVersion, let url = read.request.url, read.resource.beside(url) != nil
    else { return nil }
    self = read
  }

  package var encoded: Data? {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try? encoder.encode(self)
  }

  /// The request with its whole body, to be sent again or resumed.
  package var request: LoadRequest {
    let body: LoadRequest.Body =
      switch source {
      case .data(let data): .data(data)
      case .file(let url): .file(url)
      case .stream: .suppliedStream()
      }
    return record.request(body).withoutAttachedCookies
  }
}
