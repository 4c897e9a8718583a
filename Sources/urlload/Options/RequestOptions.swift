import Foundation

/// What to ask for, as given on the command line.
struct RequestOptions: Sendable {
  var header: [String] = []
  var method: String?
  var asksForHead = false
  /// In the order in which they were given.
  var data: [DataArgument] = []
  var form: [FormArgument] = []
  /// `-G`: data goes into the URL's query.
  var sendsDataInQuery = false
  /// What `--url-query` adds to the query.
  var query: [String] = []
  var uploadFile: String?
  var userAgent: String?
  /// The range as `Range` names it, without its unit.
  var range: String?
  var referer: String?
  /// Whether a redirect's `Referer` is the URL that led to it.
  var refersAfterRedirects = false
  var location = true
  var maxRedirects: Int?
  var maxTime: Double?
  var connectTimeout: Double?
  /// Whether brackets and braces in URLs are taken as they are.
  var leavesPatterns = false

  /// What is wrong with one of the values, whatever the others are.
  func validateValues() throws(UsageError) {
    if uploadFile?.isEmpty == true { throw UsageError("-T needs the name of a file, or - for standard input.") }
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
    if uploadFile != nil, !data.isEmpty || !form.isEmpty || asksForHead {
      throw UsageError("-T sends a file and nothing else; leave -d, -F, --json and -I out.")
    }
    if !form.isEmpty, !data.isEmpty {
      throw UsageError("-F sends a form and -d sends data; leave one of the two out (-F name=value sends a field of a form).")
    }
    if data.contains(where: { $0.kind == .json }), data.contains(where: { $0.kind != .json }) {
      throw UsageError("--json can't be mixed with other data; put everything into one of them.")
    }
  }

  /// Whether there is a field of cookies among the fields.
  var givesCookies: Bool {
    fields.contains { if case .set(let name, _) = $0 { name.lowercased() == "cookie" } else { false } }
  }

  /// The header fields, taken apart. Validated before.
  var fields: [HeaderArgument] { header.compactMap(HeaderArgument.init) }

  /// Whether what is sent is JSON.
  var isJSON: Bool { data.contains { $0.kind == .json } }
}

/// One of the options that send data.
struct DataArgument: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// `-d`: files lose their line ends.
    case text
    /// `--data-raw`: names no files.
    case raw
    /// `--data-binary`: files are sent as they are.
    case binary
    case percentEncoded
    case json
  }

  let kind: Kind
  let text: String

  /// The file that is sent as it is, if that is what it names.
  var plainFile: String? {
    (kind == .binary || kind == .json) && text.hasPrefix("@") ? String(text.dropFirst()) : nil
  }
}
