import Foundation
import LoadingModel

/// Where a server keeps what it has of an upload, and how to go on with it (draft-ietf-httpbis-resumable-upload).
package struct UploadResource: Sendable, Hashable, Codable {
  package let location: URL
  package let version: UploadDraftVersion

  package init(location: URL, version: UploadDraftVersion) {
    self.location = location
    self.version = version
  }

  /// What a 104 (Upload Resumption Supported) to a request for `url` names. nil if it can't be used: a place at another origin would be
  /// given the request's credentials.
  package init?(_ head: ResponseHead, url: URL) {
    guard head.status == 104, let text = head.headers.first("Location"), let location = LocationRules.resolve(text, at: url),
      let origin = Target(location)?.origin, origin == Target(url)?.origin
    else { return nil }
    self.location = location
    version = UploadDraftVersion(head.headers) ?? .announced
  }

  /// `request` as the first of a resumable upload.
  package static func creation(_ request: LoadRequest) -> LoadRequest {
    var request = request
    request.mutateHeaders { UploadDraftVersion.announced.markLast(&$0) }
    return request
  }

  /// Asks how much the server has.
  package func offsetRequest(for request: LoadRequest) -> LoadRequest {
    derived(request, "HEAD", .none) { headers in
      headers.remove("Content-Type")
      headers.set("Upload-Draft-Interop-Version", String(version.number))
    }
  }

  /// Sends the rest, which begins at byte `offset` of the upload.
  package func appendRequest(for request: LoadRequest, at offset: Int64, _ rest: LoadRequest.Body) -> LoadRequest {
    derived(request, "PATCH", rest) { headers in
      version.markLast(&headers)
      headers.set("Upload-Offset", String(offset))
      if version.namesPartialUpload { headers.set("Content-Type", "application/partial-upload") }
    }
  }

  private func derived(
    _ request: LoadRequest, _ method: String, _ body: LoadRequest.Body, _ change: (inout HeaderFields) -> Void
  ) -> LoadRequest {
    var result = request
    result.mutate { fields in
      fields.url = location
      fields.method = method
      fields.body = body
      // Neither the state of an upload nor the answer to it is to come from a cache: reloadIgnoringLocalCacheData.
      fields.cachePolicy = 1
      for name in ["Content-Length", "Expect", "Upload-Incomplete", "Upload-Complete", "Upload-Offset"] { fields.headers.remove(name) }
      change(&fields.headers)
    }
    return result
  }
}

/// What a server says of an upload it was asked about.
package enum UploadStanding: Sendable, Hashable {
  /// It has this many bytes and wants the rest.
  case holds(Int64)
  /// It has everything.
  case complete
  /// It knows nothing of the upload any more.
  case gone
  /// It couldn't say this time.
  case unknown

  package init(_ head: ResponseHead, length: Int64?) {
    switch head.status {
    case 200..<300:
      let isComplete = UploadDraftVersion.isComplete(head.headers)
      guard let text = head.headers.first("Upload-Offset"), let offset = FieldSyntaxRules.decimal((text.trimmingSpaces() as String).utf8)
      else {
        self = isComplete == true ? .complete : .gone
        return
      }
      if isComplete == true { self = .complete } else { self = offset <= length ?? .max ? .holds(offset) : .gone }
    case 500..<600, 408, 425, 429: self = .unknown
    default: self = .gone
    }
  }
}
