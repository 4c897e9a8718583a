import Foundation
import LoadingModel

/// What a later task, perhaps of another process, needs to resume an upload: the opaque bytes given to the app.
///
/// It holds the request's header fields, and so may hold credentials that the app put there: an app keeps it as it keeps those.
package struct UploadResumeData: Codable, Sendable {
  /// Where the bytes of the body are.
  package enum Source: Codable, Sendable, Hashable {
    case data(Data)
    case file(URL)
    /// The app is asked for a stream.
    case stream
  }

  private static let currentVersion = 2

  private let version: Int
  private let record: RequestRecord
  package let resource: UploadResource
  package let source: Source
  /// Bytes in all, if known.
  package let length: Int64?
  /// What tells whether a file is still the same; nil if the body isn't one.
  package let stamp: String?

  /// nil for a request that can't be resumed.
  package init?(_ request: LoadRequest, _ resource: UploadResource, length: Int64?, stamp: String? = nil) {
    guard request.url != nil else { return nil }
    switch request.body {
    case .data(let data): source = .data(data)
    case .file(let url, _, _): source = .file(url)
    case .suppliedStream: source = .stream
    case .none, .stream, .parts, .pieces: return nil
    }
    version = UploadResumeData.currentVersion
    // Attached cookies are those of another time.
    record = RequestRecord(request.withoutAttachedCookies)
    self.resource = resource
    self.length = length
    self.stamp = stamp
  }

  /// nil if `data` isn't what `encoded` made. Other forms of property lists aren't looked at: Foundation's reader of XML traps as well, where a
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

  /// The request with its whole body.
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
