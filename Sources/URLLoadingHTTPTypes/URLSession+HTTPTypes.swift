#if HTTPTypes
  public import Foundation
  public import HTTPTypes
  public import URLLoadingSystem

  extension URLSession {
    /// Loads `request` and returns the whole body with the response. As `data(for:delegate:)` of a `URLRequest`.
    /// - Parameter delegate: Asked and told before the session's delegate about challenges, redirects and metrics; not about data.
    /// - Throws: `URLError`: `badURL` if the request's scheme, authority and path make no URL, `badServerResponse` if the response isn't HTTP's.
    public func data(for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, HTTPResponse) {
      let (data, response) = try await data(for: try request.loadable, delegate: delegate)
      return (data, try response.converted)
    }

    /// Sends `bodyData` as the body of `request` and returns the whole response. As `upload(for:from:delegate:)` of a `URLRequest`.
    /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
    /// - Throws: `URLError`; `badURL` and `badServerResponse` as `data(for:delegate:)`.
    public func upload(
      for request: HTTPRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
      let (data, response) = try await upload(for: try request.loadable, from: bodyData, delegate: delegate)
      return (data, try response.converted)
    }

    /// Sends a file as the body of `request` and returns the whole response. As `upload(for:fromFile:delegate:)` of a `URLRequest`.
    /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
    /// - Throws: `URLError`, such as `fileDoesNotExist`; `badURL` and `badServerResponse` as `data(for:delegate:)`.
    public func upload(
      for request: HTTPRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
      let (data, response) = try await upload(for: try request.loadable, fromFile: fileURL, delegate: delegate)
      return (data, try response.converted)
    }

    /// Sends a form as the body of `request` and returns the whole response. As `upload(for:multipart:delegate:)` of a `URLRequest`; an
    /// addition to HTTPTypesFoundation's.
    /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
    /// - Throws: `URLError`; `badURL` and `badServerResponse` as `data(for:delegate:)`.
    public func upload(
      for request: HTTPRequest, multipart form: URLSessionMultipartFormData, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
      let (data, response) = try await upload(for: try request.loadable, multipart: form, delegate: delegate)
      return (data, try response.converted)
    }

    /// Loads `request` into a file, which the caller may move and must remove. As `download(for:delegate:)` of a `URLRequest`.
    /// - Parameter delegate: Asked and told before the session's delegate about challenges, redirects and metrics; not about the file.
    /// - Throws: `URLError`; `badURL` and `badServerResponse` as `data(for:delegate:)`.
    public func download(for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (URL, HTTPResponse) {
      let (location, response) = try await download(for: try request.loadable, delegate: delegate)
      return (location, try response.converted)
    }

    /// Loads `request` and returns as soon as the response has arrived; the sequence delivers the body. As `bytes(for:delegate:)` of a `URLRequest`.
    /// - Throws: `URLError`; `badURL` and `badServerResponse` as `data(for:delegate:)`. Later errors come from the sequence.
    public func bytes(
      for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URLSession.AsyncBytes, HTTPResponse) {
      let (bytes, response) = try await bytes(for: try request.loadable, delegate: delegate)
      return (bytes, try response.converted)
    }

    /// Sends `request` and calls `handle` with its response while the body may still be written. As `perform(_:body:delegate:isolation:_:)` of a
    /// `URLRequest`.
    /// - Parameter delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
    /// - Throws: The error of the code that writes the body, or of `handle`; otherwise `URLError`; `badURL` and `badServerResponse` as
    ///   `data(for:delegate:)`.
    public func perform<Result: Sendable>(
      _ request: HTTPRequest, body: URLSessionRequestBody = .ofRequest, delegate: (any URLSessionTaskDelegate)? = nil,
      isolation: isolated (any Actor)? = #isolation, _ handle: (HTTPResponse, AsyncChunks) async throws -> Result
    ) async throws -> Result {
      try await perform(try request.loadable, body: body, delegate: delegate, isolation: isolation) { response, body in
        try await handle(try response.converted, body)
      }
    }

    /// As `data(for:delegate:)`, without a delegate, so that a reference to the method such as `session.data(for:)` finds it.
    @_disfavoredOverload
    public func data(for request: HTTPRequest) async throws -> (Data, HTTPResponse) {
      try await data(for: request, delegate: nil)
    }

    /// As `upload(for:from:delegate:)`, without a delegate, so that a reference to the method such as `session.upload(for:from:)` finds it.
    @_disfavoredOverload
    public func upload(for request: HTTPRequest, from bodyData: Data) async throws -> (Data, HTTPResponse) {
      try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// As `upload(for:fromFile:delegate:)`, without a delegate, so that a reference to the method such as `session.upload(for:fromFile:)` finds it.
    @_disfavoredOverload
    public func upload(for request: HTTPRequest, fromFile fileURL: URL) async throws -> (Data, HTTPResponse) {
      try await upload(for: request, fromFile: fileURL, delegate: nil)
    }
  }

  extension HTTPRequest {
    fileprivate var loadable: URLRequest {
      get throws {
        if let request = URLRequest(httpRequest: self) { return request }
        throw URLError(.badURL, userInfo: [NSLocalizedDescriptionKey: "scheme, authority and path of the request make no URL"])
      }
    }
  }

  extension URLResponse {
    fileprivate var converted: HTTPResponse {
      get throws {
        if let response = (self as? HTTPURLResponse)?.httpResponse { return response }
        throw URLError(.badServerResponse, userInfo: [NSLocalizedDescriptionKey: "the response isn't one of HTTP"])
      }
    }
  }
#endif
