import Foundation
import LoadingModel

/// The URL at which a server keeps a partial upload, and how to resume it there (draft-ietf-httpbis-resumable-upload).
package struct UploadResource: Sendable, Hashable, Codable {
  package let location: URL
  package let version: UploadDraftVersion
  /// The most bytes that one request may append; nil if the server has stated no limit.
  package private(set) var appendLimit: Int64?

  package init(location: URL, version: UploadDraftVersion, appendLimit: Int64? = nil) {
    self.location = location
    self.version = version
    self.appendLimit = appendLimit
  }

  /// Reads a response to the first request of an upload to `url`: a 104 (Upload Resumption Supported), or a success that leaves the upload
  /// incomplete. nil if it names no usable URL: one at another origin would receive the request's credentials.
  /// - Parameter announced: The version of the request; used if the response states none.
  package init?(_ head: ResponseHead, url: URL, _ announced: UploadDraftVersion = .announced) {
    guard head.status == 104 || UploadDraftVersion.isPartial(head), let text = head.headers.first("Location"),
      let location = LocationRules.resolve(text, at: url), let origin = Target(location)?.origin, origin == Target(url)?.origin
    else { return nil }
    self.location = location
    version = UploadDraftVersion(head.headers) ?? announced
    appendLimit = UploadLimit.append(head.headers)
  }

  /// The resource as a request to `url` may use it; nil if it is at another origin. If one of the two URLs has been upgraded to TLS, because of
  /// HSTS, the resource is used over TLS.
  package func beside(_ url: URL) -> UploadResource? {
    guard let origin = Target(url)?.origin, let place = Target(location)?.origin else { return nil }
    if place == origin || SecureUpgrade.url(url).flatMap({ Target($0)?.origin }) == place { return self }
    guard let secure = SecureUpgrade.url(location), Target(secure)?.origin == origin else { return nil }
    return UploadResource(location: secure, version: version, appendLimit: appendLimit)
  }

  /// The resource at the URL to which `head` redirects a request for it; nil if it names no usable one: one at another origin would receive the
  /// request's credentials.
  package func moved(by head: ResponseHead) -> UploadResource? {
    guard [301, 302, 307, 308].contains(head.status), let text = head.headers.first("Location"),
      let place = LocationRules.resolve(text, at: location), let origin = Target(place)?.origin, origin == Target(location)?.origin
    else { return nil }
    return UploadResource(location: place, version: version, appendLimit: appendLimit)
  }

  /// The resource with the limit that `head` states, or the same if it states none.
  package func limited(by head: ResponseHead) -> UploadResource {
    var result = self
    if let limit = UploadLimit.append(head.headers) { result.appendLimit = limit }
    return result
  }

  /// `request` with the fields of the first request of a resumable upload. An app that knows the version of its server may set it in the request.
  package static func creation(_ request: LoadRequest) -> LoadRequest {
    var request = request
    request.mutateHeaders { (UploadDraftVersion($0) ?? .announced).mark(&$0, isLast: true) }
    return request
  }

  /// The request that asks how many bytes the server has.
  package func offsetRequest(for request: LoadRequest) -> LoadRequest {
    derived(request, "HEAD", .none) { headers in
      headers.remove("Content-Type")
      headers.set("Upload-Draft-Interop-Version", String(version.number))
    }
  }

  /// The request that appends `bytes`, which begin at byte `offset` of the upload: all bytes up to its end, or only a part (not `isLast`).
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
      // 1 is reloadIgnoringLocalCacheData: neither the state of an upload nor a response to it may come from a cache.
      fields.cachePolicy = 1
      for name in ["Content-Length", "Expect", "Upload-Incomplete", "Upload-Complete", "Upload-Offset", "Upload-Length"] {
        fields.headers.remove(name)
      }
      change(&fields.headers)
    }
    return result
  }
}

/// What a server says about an upload when it is asked for its offset.
package enum UploadStanding: Sendable, Hashable {
  /// The server has this many bytes, and the upload continues after them.
  case holds(Int64)
  /// The server has all bytes.
  case complete
  /// The server no longer has the upload: it must begin anew.
  case gone
  /// The server couldn't answer for now: it may be asked again.
  case unknown

  /// - Parameters:
  ///   - length: The length of the body in bytes; nil if unknown.
  ///   - sent: The offset up to which the body has been sent at most; nil if unknown, as for an upload that another task began.
  package init(_ head: ResponseHead, length: Int64?, sent: Int64? = nil) {
    switch head.status {
    case 200..<300:
      let isComplete = UploadDraftVersion.isComplete(head.headers)
      guard let offset = UploadStanding.offset(head.headers) else {
        self = isComplete == true ? .complete : .gone
        return
      }
      // Bytes that were never sent aren't those of this upload.
      guard offset <= min(length ?? .max, sent ?? .max) else {
        self = .gone
        return
      }
      guard isComplete == true else {
        self = .holds(offset)
        return
      }
      // If this task began the upload and the length is unknown, the body's end hasn't been sent: the upload can't be complete.
      self = length.map { $0 == offset } ?? (sent == nil) ? .complete : .gone
    case 500..<600, 408, 425, 429: self = .unknown
    default: self = .gone
    }
  }

  /// The number of bytes that the server has, as `Upload-Offset` states; nil if it doesn't.
  package static func offset(_ headers: HeaderFields) -> Int64? {
    headers.first("Upload-Offset").flatMap { FieldSyntaxRules.decimal(($0.trimmingSpaces() as String).utf8) }
  }
}
