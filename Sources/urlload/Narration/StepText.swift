import LoadingModel
import ProtocolRules

/// Describes the steps of one load, for `-v`. Pure.
enum StepText {
  /// How the cache answers a request, and why.
  static func cache(_ decision: CacheDecision, _ reason: CacheReason) -> String {
    let answer =
      switch decision {
      case .use: "what is stored is used"
      case .useAndRevalidate: "what is stored is used, and validated meanwhile"
      case .validate: "the server is asked whether what is stored is still valid"
      case .fetch: "the server is asked"
      case .gatewayTimeout, .unavailable: "there is no answer, as the network may not be used"
      }
    return "cache: \(answer), because \(text(reason))"
  }

  private static func text(_ reason: CacheReason) -> String {
    switch reason {
    case .nothingStored: "nothing is stored"
    case .policy: "the request's cache policy says so"
    case .fresh: "it is fresh"
    case .stale: "it is stale"
    case .staleMustRevalidate: "it is stale, and has must-revalidate"
    case .staleWhileRevalidate: "it is stale for less than its stale-while-revalidate"
    case .responseNoCache: "it has no-cache"
    case .noValidator: "what is stored has neither ETag nor Last-Modified"
    case .requestNoStore: "the request has no-store"
    case .requestNoCache: "the request has no-cache"
    case .requestOnlyIfCached: "the request has only-if-cached"
    case .requestMinFresh: "the request has min-fresh"
    case .requestMaxAge: "the request has max-age"
    case .requestMaxStale: "the request has max-stale"
    }
  }

  /// A command of FTP; passwords are masked.
  static func command(_ line: String, _ masking: Masking.Degree) -> String {
    let verb = line.prefix { $0 != " " }
    return masking == .secrets && ["PASS", "ACCT"].contains(verb.uppercased()) ? "\(verb) ***" : line
  }

  /// The lines of an FTP reply, each with its code.
  static func reply(_ code: Int, _ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in "\(code)\(index + 1 < lines.count ? "-" : " ")\(line)" }
  }

  /// The step in which a load has failed, according to its record.
  /// - Parameter head: Bytes of the response's head received so far; nil if it hadn't begun, or was complete.
  static func place(_ record: TransactionRecord, _ error: LoadError, head: Int?) -> String {
    if record.responseStart != nil {
      let length = record.response?.httpHead?.headers.first("Content-Length").flatMap { Int64($0) }
      return "receiving the body, of which \(record.responseBodyBytes) \(length.map { "of \($0) " } ?? "")bytes had come"
    }
    if record.requestStart != nil {
      if record.requestEnd == nil { return "sending the request, after \(Quantity.bytes(record.requestBodyBytes)) of its body" }
      return "waiting for the response" + (head.map { $0 > 0 ? ", of whose head \($0) bytes had come" : ", whose head had begun" } ?? "")
    }
    if record.secureConnectionStart != nil, record.secureConnectionEnd == nil { return "in the TLS handshake" }
    if record.connectStart != nil, record.connectEnd == nil { return "connecting" }
    if record.domainLookupStart != nil, record.domainLookupEnd == nil { return "looking the name up" }
    return error.phase.told
  }
}

extension LoadError.Phase {
  /// The phase in words.
  fileprivate var told: String {
    switch self {
    case .resolve: "looking the name up"
    case .connect: "connecting"
    case .secure: "in the TLS handshake"
    case .send: "sending"
    case .head: "waiting for the response"
    case .body: "receiving the body"
    case .admission, .decode, .redirect, .delivery: "setting out"
    }
  }
}
