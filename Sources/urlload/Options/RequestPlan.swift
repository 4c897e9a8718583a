import Foundation
import URLLoadingSystem

/// The request that the options ask for. Pure, but for the stream it opens.
struct RequestPlan: Sendable {
  let options: RequestOptionValues
  let content: SentContent
  var answers = ChallengeAnswers()

  /// The request for one of the URLs.
  /// - Throws: If `text` is no URL.
  func request(for text: String) throws(ToolFailure) -> URLRequest {
    guard var url = URL(string: text), !text.isEmpty else {
      throw ToolFailure(.malformedURL, "\"\(Masking.url(text))\" is no URL; write it as https://host/path, with spaces as %20")
    }
    if let name = options.uploadName, url.path(percentEncoded: true).isEmpty || url.path(percentEncoded: true).hasSuffix("/") {
      url = url.appending(path: name)
    }
    var request = URLRequest(url: url)
    request.httpMethod =
      options.method ?? (options.asksForHead ? "HEAD" : options.sends == .upload ? "PUT" : content != .none ? "POST" : "GET")
    addFields(to: &request)
    switch content {
    case .none: break
    case .data(let data): request.httpBody = data
    case .file(_, let size):
      request.setValue(String(size), forHTTPHeaderField: "Content-Length")
      request.httpBodyStream = makeStream()
    case .standardInput: request.httpBodyStream = makeStream()
    }
    return request
  }

  /// The content as a stream that hasn't been read; nil if it can't be had (again).
  func makeStream() -> InputStream? {
    switch content {
    case .none: nil
    case .data(let data): InputStream(data: data)
    case .file(let path, _): InputStream(fileAtPath: path)
    case .standardInput: InputStream(fileAtPath: "/dev/stdin")
    }
  }

  private func addFields(to request: inout URLRequest) {
    if let unasked = answers.login?.unaskedField { request.setValue(unasked, forHTTPHeaderField: "Authorization") }
    if let userAgent = options.userAgent { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
    if options.isJSON {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.setValue("application/json", forHTTPHeaderField: "Accept")
    } else if content != .none, options.sends == .form {
      request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    }
    var given: Set<String> = []
    for field in options.fields {
      switch field {
      case .remove(let name): request.setValue(nil, forHTTPHeaderField: name)
      case .set(let name, let value):
        // The first replaces what the tool set; further ones of the name add to it.
        if given.insert(name.lowercased()).inserted {
          request.setValue(value, forHTTPHeaderField: name)
        } else {
          request.addValue(value, forHTTPHeaderField: name)
        }
      }
    }
  }
}

/// The request options as plain values.
struct RequestOptionValues: Sendable {
  var method: String?
  var asksForHead = false
  var userAgent: String?
  var isJSON = false
  var followsRedirects = true
  var fields: [HeaderArgument] = []
  var sends = Sending.form
  /// The name of the file that is sent, for URLs that end where a name belongs.
  var uploadName: String?

  /// What data is sent as.
  enum Sending: Sendable {
    case form
    case upload
  }
}

extension RequestOptionValues {
  init(_ options: RequestOptions) {
    self.init(
      method: options.method, asksForHead: options.asksForHead, userAgent: options.userAgent, isJSON: !options.json.isEmpty,
      followsRedirects: options.location, fields: options.fields, sends: options.uploadFile == nil ? .form : .upload,
      uploadName: options.uploadFile.flatMap { $0 == "-" ? nil : URL(filePath: $0).lastPathComponent })
  }
}
