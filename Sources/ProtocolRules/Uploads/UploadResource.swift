import Foundation
import LoadingModel

/// Where a server keeps what it has of an upload, and how to resume it (draft-ietf-httpbis-resumable-upload).
package struct UploadResource: Sendable, Hashable, Codable {
  package let location: URL
  package let version: UploadDraftVersion
  /// Bytes that one request may append at most; nil if the server has named no limit.
  package private(set) var appendLimit: Int64?

  package init(location: URL, version: UploadDraftVersion, appendLimit: Int64? = nil) {
    self.location = location
    self.version = version
    self.appendLimit = appendLimit
  }

  /// What a response to the beginning of an upload to `url` names: a 104 (Upload Resumption Supported), or a final response of success
  /// that says that the upload isn't complete. nil if it can't be used: a place at another origin would be given the request's
  /// credentials.
  /// - Parameter announced: The version that the request spoke; it counts where the response says none.
  package init?(_ head: ResponseHead, url: URL, _ announced: UploadDraftVersion = .announced) {
    guard head.status == 104 || UploadDraftVersion.isPartial(head), let text = head.headers.first("Location"),
      let location = LocationRules.resolve(text, at: url), let origin = Target(location)?.origin, origin == Target(url)?.origin
    else { return nil }
    self.location = location
    version = UploadDraftVersion(head.headers) ?? announced
    appendLimit = UploadLimit.append(head.headers)
  }

  /// The place as a request for `url` may use it; nil if it is another origin's. Where one of the two has been upgraded to TLS, as its host had
  /// asked for, the place is over TLS.
  package func beside(_ url: URL) -> UploadResource? {
    guard let origin = Target(url)?.origin, let place = Target(location)?.origin else { return nil }
    if place == origin || SecureUpgrade.url(url).flatMap({ Target($0)?.origin }) == place { return self }
    guard let secure = SecureUpgrade.url(location), Target(secure)?.origin == origin else { return nil }
    return UploadResource(location: secure, version: version, appendLimit: appendLimit)
  }

  /// The same with the limit that `head` names, if it names one.
  package func limited(by head: ResponseHead) -> UploadResource {
    var result = self
    if let limit = UploadLimit.append(head.headers) { result.appendLimit = limit }
    return result
  }

  /// `request` as the first of a resumable upload. An app that knows which version its server speaks may say it in the request.
  package static func creation(_ request: LoadRequest) -> LoadRequest {
    var request = request
    request.mutateHeaders { (UploadDraftVersion($0) ?? .announced).mark(&$0, isLast: true) }
    return request
  }

  /// Asks how much the server has.
  package func offsetRequest(for request: LoadRequest) -> LoadRequest {
    derived(request, "HEAD", .none) { headers in
      headers.remove("Content-Type")
      headers.set("Upload-Draft-Interop-Version", String(version.number))
    }
  }

  /// Sends bytes that begin at byte `offset` of the upload: all the rest, or a part of it.
  package func appendRequest(for request: LoadRequest, at offset: Int64, _ bytes: LoadRequest.Body, isLast: Bool = true) -> LoadRequest {
    derived(request, "PATCH", bytes) { headers in
      version.mark(&headers, isLast: isLast)
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
      for name in ["Content-Length", "Expect", "Upload-Incomplete", "Upload-Complete", "Upload-Offset", "Upload-Length"] {
        fields.headers.remove(name)
      }
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
      guard let offset = UploadStanding.offset(head.headers) else {
        self = isComplete == true ? .complete : .gone
        return
      }
      if isComplete == true { self = .complete } else { self = offset <= length ?? .max ? .holds(offset) : .gone }
    case 500..<600, 408, 425, 429: self = .unknown
    default: self = .gone
    }
  }

  /// Bytes that the server has, if it says so.
  package static func offset(_ headers: HeaderFields) -> Int64? {
    headers.first("Upload-Offset").flatMap { FieldSyntaxRules.decimal(($0.trimmingSpaces() as String).utf8) }
  }
}
