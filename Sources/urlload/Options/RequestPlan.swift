import Foundation
import URLLoadingSystem

/// The request that the options ask for. Pure, but for the streams and tasks it makes.
struct RequestPlan: Sendable {
  /// From this length on a server is asked whether it takes the body before it is sent, as curl does: a refusal then costs nothing.
  private static let expectingLength: Int64 = 1 << 20

  let options: RequestOptionValues
  let content: SentContent
  var answers = ChallengeAnswers()
  /// The rate at which uploads go, where it is limited.
  var pace: SharedPace?

  /// The request for one of the URLs.
  /// - Throws: If `text` is no URL, or one for which the options mean nothing.
  func request(for text: String) throws(ToolFailure) -> URLRequest {
    guard var url = PercentEncoding.url(text), !text.isEmpty else {
      throw ToolFailure(.malformedURL, "\"\(Masking.url(text))\" is no URL; write it as https://host/path, with spaces as %20")
    }
    if let refusal = SchemeRules.refusal(of: options, content, for: url) { throw refusal }
    if let name = options.uploadName, url.path(percentEncoded: true).isEmpty || url.path(percentEncoded: true).hasSuffix("/") {
      url = url.appending(path: name)
    }
    if !options.query.isEmpty { url = try options.adding(options.query, to: url) }
    if let login = answers.login(for: url) { url = login.joined(to: url) }
    var request = URLRequest(url: url)
    request.assumesHTTP3Capable = options.assumesHTTP3
    request.httpMethod =
      options.method ?? (options.asksForHead ? "HEAD" : options.sends == .upload ? "PUT" : content != .none ? "POST" : "GET")
    addFields(to: &request)
    guard options.sends == .form else { return request }
    switch content {
    // The task is given the file.
    case .none, .file, .form: break
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
      switch content {
      case .file(let path, _): return session.uploadTask(with: request, fromFile: URL(filePath: path))
      case .form(let form): return session.uploadTask(with: request, multipart: form)
      case .none, .data, .standardInput: return session.dataTask(with: request)
      }
    }
    switch content {
    case .none, .form: return session.dataTask(with: request)
    case .data(let data): return session.uploadTask(with: request, from: data)
    case .standardInput: return session.uploadTask(withStreamedRequest: request)
    case .file(let path, let size):
      if let pace { return session.uploadTask(with: request, from: PacedFile(path: path, pace: pace), length: size) }
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
    case .form(let form): form.makeInputStream()
    }
  }

  private func addFields(to request: inout URLRequest) {
    if let unasked = answers.unaskedField(for: request.url) { request.setValue(unasked, forHTTPHeaderField: "Authorization") }
    if let userAgent = options.userAgent { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
    if let range = options.range { request.setValue("bytes=\(range)", forHTTPHeaderField: "Range") }
    if let referer = options.referer { request.setValue(referer, forHTTPHeaderField: "Referer") }
    if case .form(let form) = content {
      request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    } else if options.isJSON {
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
    // Another kind of multipart, whose parts are found by the same boundary.
    if case .form(let form) = content, let type = request.value(forHTTPHeaderField: "Content-Type"),
      type.lowercased().hasPrefix("multipart/"), !type.lowercased().contains("boundary=")
    {
      request.setValue("\(type); boundary=\(form.boundary)", forHTTPHeaderField: "Content-Type")
    }
  }
}

/// The request options as plain values.
struct RequestOptionValues: Sendable {
  var method: String?
  var asksForHead = false
  var userAgent: String?
  var referer: String?
  var refersAfterRedirects = false
  var range: String?
  /// Added to the query of each URL, encoded.
  var query: [String] = []
  var isJSON = false
  var followsRedirects = true
  var maxRedirects: Int?
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
  /// - Throws: If a file for the query can't be read.
  init(_ options: RequestOptions, _ transfer: TransferOptions, _ network: NetworkOptions) throws(ToolFailure) {
    method = options.method
    asksForHead = options.asksForHead
    (userAgent, referer, range) = (options.userAgent, options.referer, options.range)
    refersAfterRedirects = options.refersAfterRedirects
    isJSON = options.isJSON
    (followsRedirects, maxRedirects) = (options.location, options.maxRedirects)
    fields = options.fields
    sends = options.uploadFile == nil ? .form : .upload
    uploadName = options.uploadFile.flatMap { $0 == "-" ? nil : URL(filePath: $0).lastPathComponent }
    continuesUpload = options.uploadFile != nil && transfer.continuation == .found
    assumesHTTP3 = network.assumesHTTP3
    for text in options.query { query.append(text.hasPrefix("+") ? String(text.dropFirst()) : try SentContent.encoded(text)) }
    if options.sendsDataInQuery, !options.data.isEmpty {
      query.append(String(decoding: try SentContent.joined(options.data), as: UTF8.self))
    }
  }

  /// A redirect's request with the URL that led to it, where that is wanted.
  func referring(_ request: URLRequest, from url: URL?) -> URLRequest {
    guard refersAfterRedirects, let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return request }
    // RFC 9110, 10.1.3: without fragment and userinfo.
    (parts.fragment, parts.user, parts.password) = (nil, nil, nil)
    var request = request
    request.setValue(parts.string, forHTTPHeaderField: "Referer")
    return request
  }

  /// The URL with more in its query.
  /// - Throws: If what is added can't be in a URL.
  func adding(_ texts: [String], to url: URL) throws(ToolFailure) -> URL {
    let whole = url.absoluteString
    let end = whole.firstIndex(of: "#") ?? whole.endIndex
    let hasQuery = whole[..<end].contains("?")
    let joint = !hasQuery ? "?" : whole[..<end].hasSuffix("?") || whole[..<end].hasSuffix("&") ? "" : "&"
    let query = texts.joined(separator: "&").replacing("#", with: "%23")
    guard let url = PercentEncoding.url("\(whole[..<end])\(joint)\(query)\(whole[end...])") else {
      throw ToolFailure(.malformedURL, "the data can't be put into the URL; encode it with --data-urlencode")
    }
    return url
  }
}
