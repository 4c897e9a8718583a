/// What one run of a client loads: the document, and what becomes of its body. The runner names it on the command line,
/// for example `h1-1k-c64` or `tls-1g-discard`; transport and concurrency show in the URL and in their own argument.
public struct Scenario: Sendable {
  /// What a client does with a body, and how long the body is.
  public enum Body: Sendable, Hashable {
    /// So many bytes, 1 KiB or 64 KiB, collected into memory.
    case small(bytes: Int)
    /// 1 GiB, dropped chunk by chunk as it arrives.
    case bigDiscarded
    /// 1 GiB, collected into memory.
    case bigInMemory
    /// 1 GiB, written to a file.
    case bigToFile
    /// 1 GiB, sent from a file.
    case bigFromFile
    /// Messages of so many bytes over WebSockets, each answered with itself.
    case echo(bytes: Int)
    /// No body: requests that aren't answered.
    case stalled
    /// WebSockets that are open, with a message of so many bytes a second each.
    case open(bytes: Int)
  }

  /// The name as the runner spells it.
  public let name: String
  /// The kind of body.
  public let body: Body
  /// Whether the client keeps cookies and a cache while it loads.
  public let usesStores: Bool
  /// Whether requests go to many hosts and several documents, as an app's do.
  public let isMixed: Bool
  /// Whether client and server agree on HTTP/2.
  public let isHTTP2: Bool
  /// Whether they speak HTTP/3.
  public let isHTTP3: Bool
  /// Whether the client gives each connection up after its reply; where the server does that, the client needn't know.
  public let endsConnections: Bool

  private static let messageSizes = [(name: "125", bytes: 125), (name: "16k", bytes: 16 << 10), (name: "1m", bytes: 1 << 20)]

  /// Reads a scenario's name; nil when it names no known kind of body.
  public init?(name: String) {
    self.name = name
    isHTTP2 = name.hasPrefix("h2-") || name == "inflight-h2"
    isHTTP3 = name.hasPrefix("h3-")
    endsConnections = name.hasPrefix("h3-cold-")
    usesStores = name.hasPrefix("cache-") || name.hasPrefix("stores-") || name == "mixed"
    isMixed = name == "mixed"
    if let size = Scenario.messageSizes.first(where: { name == "ws-\($0.name)" }) {
      body = .echo(bytes: size.bytes)
    } else if name == "ws-open" || name == "wss-open" {
      body = .open(bytes: 125)
    } else if name.contains("1g-discard") || name == "1g-lines" || name == "1g-bytes" {
      body = .bigDiscarded
    } else if name.contains("1g-memory") {
      body = .bigInMemory
    } else if name.contains("1g-file") {
      body = .bigToFile
    } else if name.contains("1g-upload") {
      body = .bigFromFile
    } else if name.hasPrefix("inflight-") {
      body = .stalled
    } else if name.contains("64k") {
      body = .small(bytes: 64 << 10)
    } else if name.contains("1k") || isMixed {
      body = .small(bytes: 1 << 10)
    } else {
      return nil
    }
  }

  /// True for the scenarios that measure throughput, false for those that measure requests.
  public var isBig: Bool {
    switch body {
    case .small, .stalled, .echo, .open: false
    case .bigDiscarded, .bigInMemory, .bigToFile, .bigFromFile: true
    }
  }

  /// Bytes that each reply must have.
  public var expectedLength: Int {
    switch body {
    case .bigDiscarded, .bigInMemory, .bigToFile, .bigFromFile: 1 << 30
    case .stalled: 1 << 10  // Of the warm-up's replies.
    case .small(let bytes), .echo(let bytes), .open(let bytes): bytes
    }
  }
}
