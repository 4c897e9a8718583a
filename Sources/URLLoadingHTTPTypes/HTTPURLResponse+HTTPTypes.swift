#if HTTPTypes
  public import Foundation
  public import HTTPTypes
  import LoadingModel
  public import URLLoadingSystem

  extension HTTPURLResponse {
    /// A response with the status and the header fields of `httpResponse`; fields of one name are joined by ", ". Never nil.
    /// - Parameters:
    ///   - httpResponse: Status and header fields.
    ///   - url: The URL of the response.
    public convenience init?(httpResponse: HTTPResponse, url: URL) {
      var values: [String: String] = [:]
      var names: [HTTPField.Name: String] = [:]
      for field in httpResponse.headerFields {
        let name = names[field.name, default: field.name.rawName]
        names[field.name] = name
        values[name] = values[name].map { "\($0), \(field.value)" } ?? field.value
      }
      self.init(url: url, statusCode: httpResponse.status.code, httpVersion: "HTTP/1.1", headerFields: values)
    }

    /// The response's status and header fields; nil for a status that isn't 0 to 999.
    ///
    /// Fields are in the order in which they were received, repeated ones not joined: `headerFields[values: .setCookie]` has a value for each cookie.
    public var httpResponse: HTTPResponse? {
      guard (0...999).contains(statusCode) else { return nil }
      var response = HTTPResponse(status: .init(code: statusCode))
      response.headerFields.reserveCapacity(head.headers.count)
      for (name, value) in head.headers.entries {
        guard let name = HTTPField.Name(name) else { continue }
        response.headerFields.append(HTTPField(name: name, value: value))
      }
      return response
    }
  }

  extension URLSessionTask {
    /// The trailer fields of the response, in their order; nil before the task has completed, after a failure, and if there were none. See
    /// `trailerFields`.
    public var httpTrailerFields: HTTPFields? {
      trailers.map { trailers in
        HTTPFields(trailers.entries.compactMap { entry in HTTPField.Name(entry.name).map { HTTPField(name: $0, value: entry.value) } })
      }
    }

    /// The request that the task was made with; nil if it can't be an `HTTPRequest`.
    public var originalHTTPRequest: HTTPRequest? { originalRequest?.httpRequest }

    /// The request in effect, which differs from the original one after a redirect; nil if it can't be an `HTTPRequest`.
    public var currentHTTPRequest: HTTPRequest? { currentRequest?.httpRequest }

    /// The server's response; nil before it has arrived, and for schemes other than HTTP's.
    public var httpResponse: HTTPResponse? { (response as? HTTPURLResponse)?.httpResponse }
  }
#endif
