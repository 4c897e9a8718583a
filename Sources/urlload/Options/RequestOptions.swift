import Foundation

/// The options about the request, as given on the command line.
struct RequestOptions: Sendable {
  var header: [String] = []
  var method: String?
  var asksForHead = false
  /// The options with data to send, in the order in which they were given.
  var data: [DataArgument] = []
  var form: [FormArgument] = []
  /// Whether data goes into the URL's query (`-G`).
  var sendsDataInQuery = false
  /// The values of `--url-query`.
  var query: [String] = []
  /// The values of `-T`: the n-th is for the n-th URL.
  var uploadFiles: [String] = []
  var userAgent: String?
  /// The value of the `Range` field without "bytes=".
  var range: String?
  var referer: String?
  /// Whether the request after a redirect has the URL before it as its `Referer` (`-e ';auto'`).
  var refersAfterRedirects = false
  /// The value of `-z`: a date or a file.
  var timeCondition: String?
  /// The file of `--etag-compare`.
  var etagCompare: String?
  var location = true
  var maxRedirects: Int?
  var maxTime: Double?
  var connectTimeout: Double?
  /// Whether brackets and braces in URLs are ordinary characters (`--globoff`).
  var leavesPatterns = false

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if uploadFiles.contains("") { throw UsageError("-T needs the name of a file, or - for standard input.") }
    if let complaint = HeaderArgument.complaint(header) { throw UsageError(complaint) }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if asksForHead, !data.isEmpty && !sendsDataInQuery || !form.isEmpty {
      throw UsageError("-I asks for a head, which takes no data; leave one of the two out, or put the data into the URL with -G.")
    }
    if sendsDataInQuery, data.contains(where: { $0.kind == .json }) {
      throw UsageError("-G puts data into the URL, where JSON has no place; give it with --data-urlencode.")
    }
    if uploads, !data.isEmpty || !form.isEmpty || asksForHead {
      throw UsageError("-T sends a file and nothing else; leave -d, -F, --json and -I out.")
    }
    if uploadFiles.count(where: { $0 == "-" }) > 1 { throw UsageError("Standard input is read once; give -T - once.") }
    if !form.isEmpty, !data.isEmpty {
      throw UsageError("-F sends a form and -d sends data; leave one of the two out (-F name=value sends a field of a form).")
    }
    if data.contains(where: { $0.kind == .json }), data.contains(where: { $0.kind != .json }) {
      throw UsageError("--json can't be mixed with other data; put everything into one of them.")
    }
  }

  /// Whether something is asked for under a condition.
  var isConditional: Bool { timeCondition != nil || etagCompare != nil }

  /// What is said about a `-z` that is left out of the request, because its value means no time; nil otherwise.
  var timeComplaint: ToolFailure? {
    guard let timeCondition, TimeCondition(timeCondition, now: Date()) == nil else { return nil }
    return ToolFailure(.other, "-z takes a date, such as 2027-01-31, or a file that exists; the request has no condition")
  }

  /// Whether files are sent as by `-T`.
  var uploads: Bool { !uploadFiles.isEmpty }

  /// Whether one of the header fields is a `Cookie` field.
  var givesCookies: Bool {
    fields.first(setting: "cookie") != nil
  }

  /// The parsed header fields. To be called after validation.
  var fields: [HeaderArgument] { header.compactMap(HeaderArgument.init) }

  /// Whether the data is JSON.
  var isJSON: Bool { data.contains { $0.kind == .json } }
}

/// The value of one option that sends data.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// `-d`: line breaks are removed from files.
    case text
    /// `--data-raw`: "@" names no file.
    case raw
    /// `--data-binary`: files are sent unchanged.
    case binary
    case percentEncoded
    case json
  }

  let kind: Kind
  let text: String

  /// The file that is sent unchanged, if the value names one; nil otherwise.
  var plainFile: String? {
    (kind == .binary || kind == .json) && text.hasPrefix("@") ? String(text.dropFirst()) : nil
  }
}
