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

  private struct Field: Codable {
    let name: String
    let value: String
  }

  /// What the request says of networks and cookies; nil in data that an earlier version made.
  private struct Conduct: Codable {
    let cellular: Bool
    let expensive: Bool?
    let constrained: Bool?
    let cookies: Bool
    let mainDocument: URL?
    let partition: String?
    let serviceType: UInt
  }

  private static let currentVersion = 1

  private let version: Int
  package let url: URL
  package let method: String
  private let fields: [Field]
  private let conduct: Conduct?
  package let timeoutInterval: Double
  package let resource: UploadResource
  package let source: Source
  /// Bytes in all, if known.
  package let length: Int64?
  /// What tells whether a file is still the same; nil if the body isn't one.
  package let stamp: String?

  /// nil for a request that can't be resumed.
  package init?(_ request: LoadRequest, _ resource: UploadResource, length: Int64?, stamp: String? = nil) {
    guard let url = request.url else { return nil }
    switch request.body {
    case .data(let data): source = .data(data)
    case .file(let url, _, _): source = .file(url)
    case .suppliedStream: source = .stream
    case .none, .stream, .parts: return nil
    }
    version = UploadResumeData.currentVersion
    self.url = url
    method = request.method
    fields = request.headers.entries.map { Field(name: $0.name, value: $0.value) }
    let own = request.fields
    conduct = Conduct(
      cellular: own.allowsCellularAccess, expensive: own.ownAccess.contains(.expensive) ? own.allowsExpensiveNetworkAccess : nil,
      constrained: own.ownAccess.contains(.constrained) ? own.allowsConstrainedNetworkAccess : nil, cookies: own.shouldHandleCookies,
      mainDocument: own.mainDocumentURL, partition: own.cookiePartitionIdentifier, serviceType: own.networkServiceType)
    timeoutInterval = own.timeoutInterval
    self.resource = resource
    self.length = length
    self.stamp = stamp
  }

  /// nil if `data` isn't what `encoded` made.
  package init?(_ data: Data) {
    guard let read = try? PropertyListDecoder().decode(UploadResumeData.self, from: data), read.version == UploadResumeData.currentVersion,
      let origin = Target(read.url)?.origin, origin == Target(read.resource.location)?.origin
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
    var request = LoadRequest(url: url)
    request.mutate { request in
      request.method = method
      request.headers = HeaderFields(fields.map { ($0.name, $0.value) })
      request.timeoutInterval = timeoutInterval
      if let conduct {
        request.allowsCellularAccess = conduct.cellular
        if let expensive = conduct.expensive { request.allowsExpensiveNetworkAccess = expensive }
        if let constrained = conduct.constrained { request.allowsConstrainedNetworkAccess = constrained }
        request.shouldHandleCookies = conduct.cookies
        request.mainDocumentURL = conduct.mainDocument
        request.cookiePartitionIdentifier = conduct.partition
        request.networkServiceType = conduct.serviceType
      }
      switch source {
      case .data(let data): request.body = .data(data)
      case .file(let url): request.body = .file(url)
      case .stream: request.body = .suppliedStream()
      }
    }
    return request
  }
}
