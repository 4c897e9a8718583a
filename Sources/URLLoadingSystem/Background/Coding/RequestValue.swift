import Foundation
import LoadingModel

/// A request on its way to the daemon, or on disk there: every field that the engine reads. Streams don't travel.
struct RequestValue: Codable, Sendable {
  private enum Body: Codable, Sendable {
    case none
    case data(Data)
    case file(URL)
  }

  private struct Field: Codable, Sendable {
    let name: String
    let value: String
  }

  private let url: URL?
  private let method: String
  private let fields: [Field]
  private let body: Body
  private let cachePolicy: UInt
  private let timeout: Double
  private let mainDocument: URL?
  private let serviceType: UInt
  private let attribution: UInt
  private let partition: String?
  private let allowsCellular: Bool
  /// What the request says itself; nil where it leaves it to the session.
  private let allowsExpensive: Bool?
  private let allowsConstrained: Bool?
  private let requiresDNSSEC: Bool
  private let handlesCookies: Bool

  init(_ request: LoadRequest) {
    let own = request.fields
    url = own.url
    method = own.method
    fields = own.headers.entries.map { Field(name: $0.name, value: $0.value) }
    switch own.body {
    case .data(let data): body = .data(data)
    case .file(let file, _, _): body = .file(file)
    case .none, .stream, .suppliedStream, .parts: body = .none
    }
    cachePolicy = own.cachePolicy
    timeout = own.timeoutInterval
    mainDocument = own.mainDocumentURL
    serviceType = own.networkServiceType
    attribution = own.attribution
    partition = own.cookiePartitionIdentifier
    allowsCellular = own.allowsCellularAccess
    allowsExpensive = own.ownAccess.contains(.expensive) ? own.allowsExpensiveNetworkAccess : nil
    allowsConstrained = own.ownAccess.contains(.constrained) ? own.allowsConstrainedNetworkAccess : nil
    requiresDNSSEC = own.requiresDNSSECValidation
    handlesCookies = own.shouldHandleCookies
  }

  var request: LoadRequest {
    var request = LoadRequest(url: url)
    request.mutate { request in
      request.method = method
      request.headers = HeaderFields(fields.map { ($0.name, $0.value) })
      switch body {
      case .none: request.body = .none
      case .data(let data): request.body = .data(data)
      case .file(let file): request.body = .file(file)
      }
      request.cachePolicy = cachePolicy
      request.timeoutInterval = timeout
      request.mainDocumentURL = mainDocument
      request.networkServiceType = serviceType
      request.attribution = attribution
      request.cookiePartitionIdentifier = partition
      request.allowsCellularAccess = allowsCellular
      if let allowsExpensive { request.allowsExpensiveNetworkAccess = allowsExpensive }
      if let allowsConstrained { request.allowsConstrainedNetworkAccess = allowsConstrained }
      request.requiresDNSSECValidation = requiresDNSSEC
      request.shouldHandleCookies = handlesCookies
    }
    return request
  }
}
