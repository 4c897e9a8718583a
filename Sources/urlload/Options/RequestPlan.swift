import Foundation
import LoadingModel
import URLLoadingSystem

/// Makes requests from the options. Pure, except for the streams and tasks that it makes.
struct RequestPlan: Sendable {
  /// Bodies from this size on are sent with `Expect: 100-continue`, as by curl, so that a server can refuse them before they are sent.
  private static let expectingLength: Int64 = 1 << 20

  var options: RequestOptionValues
  var content: SentContent
  var answers = ChallengeAnswers()
  /// The rate limit for uploads; nil for none.
  var pace: SharedPace?
  /// The header fields that a session has kept, by server.
  var kept = ServerTable<[HeaderArgument]>()
  /// `-4` or `-6`; nil without them.
  var family: FamilyRule?

  /// The same plan for sending another file.
  func sending(_ file: String, _ content: SentContent) -> RequestPlan {
    var plan = self
    plan.content = content
    plan.options.uploadName = RequestOptionValues.uploadName(file)
    return plan
  }

  /// The request for one URL.
  /// - Throws: If `text` isn't a URL, or the options can't be used with its scheme.
  func request(for text: String) throws(ToolFailure) -> URLRequest {
    guard var url = PercentEncoding.url(text), !text.isEmpty else {
      throw ToolFailure(.malformedURL, "\"\(Masking.url(text))\" is no URL; write it as https://host/path, with spaces as %20")
    }
    if let refusal = SchemeRules.refusal(of: options, content, for: url) ?? family?.refusal(of: url) { throw refusal }
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
    // Files and forms are given to the task (`makeTask`).
    case .none, .file, .form: break
    case .data(let data): request.httpBody = data
    case .standardInput: request.httpBodyStream = makeStream()
    }
    return request
  }

  /// The task for the request, which sends the content.
  /// - Parameter upload: The record of an interrupted upload that may be resumed; nil for none.
  func makeTask(_ request: URLRequest, _ upload: UploadPlace?, in session: URLSession) -> URLSessionTask {
    guard options.sends == .upload else {
      // Upload tasks for files and forms resume by themselves if the server supports that.
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

  /// The content as a new stream; nil if there is no content. Standard input can be read only once.
  func makeStream() -> InputStream? {
    switch content {
    case .none: nil
    case .data(let data): InputStream(data: data)
    case .file(let path, _): InputStream(fileAtPath: path)
    case .standardInput: InputStream(fileAtPath: "/dev/stdin")
    case .form(let form): form.makeInputStream()
    }
  }

  /// The request after a redirect. To the server of `url`, which was asked for, it has the given `Host` again, which the library takes for that of a
  /// single URL; to another one, it is without the fields that were kept for the first.
  func redirected(_ request: URLRequest, from url: URL?) -> URLRequest {
    var request = request
    if let url, let next = request.url, let origin = Target(url)?.origin, Target(next)?.origin == origin {
      if let host = options.fields.first(setting: "host") { request.setValue(host.value, forHTTPHeaderField: host.name) }
    }
    guard !kept.isShared(url, request.url) else { return request }
    for field in keptFields(for: url) { request.setValue(nil, forHTTPHeaderField: field.name) }
    return request
  }

  /// The kept fields for the URL's server that the command line doesn't replace.
  private func keptFields(for url: URL?) -> [HeaderArgument] {
    let given = Set(options.fields.map { $0.name.lowercased() })
    return kept[url]?.filter { !given.contains($0.name.lowercased()) } ?? []
  }

  private func addFields(to request: inout URLRequest) {
    if let unasked = answers.unaskedField(for: request.url) { request.setValue(unasked, forHTTPHeaderField: "Authorization") }
    if let userAgent = options.userAgent { request.setValue(userAgent, forHTTPHeaderField: "User-Agent") }
    if let range = options.range(for: request.url) { request.setValue("bytes=\(range)", forHTTPHeaderField: "Range") }
    for condition in options.conditions { request.setValue(condition.value, forHTTPHeaderField: condition.name) }
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
    for field in keptFields(for: request.url) + options.fields {
      switch field {
      case .remove(let name): request.setValue(nil, forHTTPHeaderField: name)
      case .set(let name, let value):
        // The first field of a name replaces the one that the tool has set; further ones are added.
        if given.insert(name.lowercased()).inserted {
          request.setValue(value, forHTTPHeaderField: name)
        } else {
          request.addValue(value, forHTTPHeaderField: name)
        }
      }
    }
    // The user chose another multipart type: its boundary is added.
    if case .form(let form) = content, let type = request.value(forHTTPHeaderField: "Content-Type"),
      type.lowercased().hasPrefix("multipart/"), !type.lowercased().contains("boundary=")
    {
      request.setValue("\(type); boundary=\(form.boundary)", forHTTPHeaderField: "Content-Type")
    }
  }

  /// The user of a request, from its fields or its login; nil if only its URL may name one.
  func user(of request: URLRequest) -> String? {
    if let value = request.value(forHTTPHeaderField: "Authorization") { return AskingUser.named(in: value) }
    return request.url.flatMap { answers.login(for: $0)?.user }
  }
}

/// The values of the request options that a plan needs.
struct RequestOptionValues: Sendable {
  var method: String?
  var asksForHead = false
  var userAgent: String?
  var referer: String?
  var refersAfterRedirects = false
  var range: String?
  /// Encoded texts that are added to the query of each URL.
  var query: [String] = []
  var isJSON = false
  var followsRedirects = true
  var maxRedirects: Int?
  /// The fields of `-z` and `--etag-compare`.
  var conditions: [(name: String, value: String)] = []
  var fields: [HeaderArgument] = []
  var sends = Sending.form
  /// The name of the file to send, which is appended to URLs that end with "/"; nil for none.
  var uploadName: String?
  /// Whether an interrupted upload of an earlier run is resumed, and this one's record is kept for later runs (`-C -`).
  var continuesUpload = false
  /// Whether HTTP/3 is tried with servers that haven't offered it.
  var assumesHTTP3 = false

  /// How data is sent: as with `-d` and `-F`, or as with `-T`.
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
    if let condition = options.timeCondition.flatMap({ TimeCondition($0, now: Date()) }) {
      conditions.append((condition.field, condition.value))
    }
    if let file = options.etagCompare { conditions.append(("If-None-Match", KeptFacts.tag(in: file))) }
    sends = options.uploads ? .upload : .form
    uploadName = options.uploadFiles.first.flatMap(RequestOptionValues.uploadName)
    continuesUpload = options.uploads && transfer.continuation == .found
    assumesHTTP3 = network.assumesHTTP3
    for text in options.query { query.append(text.hasPrefix("+") ? String(text.dropFirst()) : try SentContent.encoded(text)) }
    if options.sendsDataInQuery, !options.data.isEmpty {
      query.append(String(decoding: try SentContent.joined(options.data), as: UTF8.self))
    }
  }

  /// The name that a URL which ends with "/" gets from the file to send; nil if the file has none.
  static func uploadName(_ file: String) -> String? { file == "-" ? nil : URL(filePath: file).lastPathComponent }

  /// The value of `-r` for the URL. Several ranges are HTTP's alone; of other URLs the first one is loaded, as by curl.
  func range(for url: URL?) -> Substring? {
    let isHTTP = url?.scheme?.lowercased().hasPrefix("http") == true
    return isHTTP ? range?[...] : range?.prefix { $0 != "," }
  }

  /// The request after a redirect, with the URL before it as its `Referer` if `-e ';auto'` asks for that.
  func referring(_ request: URLRequest, from url: URL?) -> URLRequest {
    guard refersAfterRedirects, let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return request }
    // A `Referer` has neither fragment nor user information (RFC 9110, 10.1.3).
    (parts.fragment, parts.user, parts.password) = (nil, nil, nil)
    var request = request
    request.setValue(parts.string, forHTTPHeaderField: "Referer")
    return request
  }

  /// The URL with texts added to its query.
  /// - Throws: If the result isn't a URL.
  func adding(_ texts: [String], to url: URL) throws(ToolFailure) -> URL {
    let whole = url.absoluteString
    let end = whole.firstIndex(of: "#") ?? whole.endIndex
    let hasQuery = whole[..<end].contains("?")
    let joint = !hasQuery ? "?" : whole[..<end].hasSuffix("?") || whole[..<end].hasSuffix("&") ? "" : "&"
    let query = texts.joined(separator: "&").replacing("#", with: "%23")
    if query.isEmpty, !hasQuery { return url }
    guard let url = PercentEncoding.url("\(whole[..<end])\(joint)\(query)\(whole[end...])") else {
      throw ToolFailure(.malformedURL, "the data can't be put into the URL; encode it with --data-urlencode")
    }
    return url
  }
}
