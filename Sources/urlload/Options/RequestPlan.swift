import Foundation
import URLLoadingSystem

/// The request that the options ask for. Pure, but for the streams and tasks it makes.
struct RequestPlan: Sendable {
  /// From this length on a server is asked whether it takes the body before it is sent, as curl does: a refusal then costs nothing.
  private static let expectingLength: Int64 = 1 << 20

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
    if let login = answers.login { url = login.joined(to: url) }
    var request = URLRequest(url: url)
    request.assumesHTTP3Capable = options.assumesHTTP3
    request.httpMethod =
      options.method ?? (options.asksForHead ? "HEAD" : options.sends == .upload ? "PUT" : content != .none ? "POST" : "GET")
    addFields(to: &request)
    guard options.sends == .form else { return request }
    switch content {
    // The task is given the file.
    case .none, .file: break
    case .data(let data): request.httpBody = data
    case .standardInput: request.httpBodyStream = makeStream()
    }
    return request
  }

  /// The task that makes the request and sends the content.
  /// - Parameter upload: What is known of an upload that could be resumed.
  func makeTask(_ request: URLRequest, _ upload: UploadPlace?, in session: URLSession) -> URLSessionTask {
    guard options.sends == .upload else {
      // An upload that breaks off is resumed where the server can.
      guard case .file(let path, _) = content else { return session.dataTask(with: request) }
      return session.uploadTask(with: request, fromFile: URL(filePath: path))
    }
    switch content {
    case .none: return session.dataTask(with: request)
    case .data(let data): return session.uploadTask(with: request, from: data)
    case .standardInput: return session.uploadTask(withStreamedRequest: request)
    case .file(let path, _):
      if let resumeData = upload?.resumeData(request) { return session.uploadTask(withResumeData: resumeData) }
      return session.uploadTask(with: request, fromFile: URL(filePath: path))
    }
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
    if options.sends == .upload, content.length ?? .max >= RequestPlan.expectingLength {
      request.setValue("100-continue", forHTTPHeaderField: "Expect")
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
  /// Whether an upload resumes what an earlier run has sent, and leaves what a later one needs.
  var continuesUpload = false
  /// Whether HTTP/3 is tried with servers that haven't offered it.
  var assumesHTTP3 = false

  /// What data is sent as.
  enum Sending: Sendable {
    case form
    case upload
  }
}

extension RequestOptionValues {
  init(_ options: RequestOptions, _ transfer: TransferOptions, _ network: NetworkOptions) {
    self.init(
      method: options.method, asksForHead: options.asksForHead, userAgent: options.userAgent, isJSON: !options.json.isEmpty,
      followsRedirects: options.location, fields: options.fields, sends: options.uploadFile == nil ? .form : .upload,
      uploadName: options.uploadFile.flatMap { $0 == "-" ? nil : URL(filePath: $0).lastPathComponent },
      continuesUpload: options.uploadFile != nil && transfer.continuation == .found, assumesHTTP3: network.assumesHTTP3)
  }
}
