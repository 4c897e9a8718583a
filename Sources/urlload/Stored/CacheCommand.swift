import ArgumentParser
import Foundation
import URLLoadingSystem

/// `urlload cache`: shows and removes responses that `--cache` has stored on disk.
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload cache",
    abstract: "Show and remove what --cache has kept on disk.",
    subcommands: [List.self, Show.self, Remove.self],
    defaultSubcommand: List.self)

  /// `urlload cache ls`: lists the stored responses.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ls", abstract: "List the stored responses, the one last used first: status, size, age, freshness, type, URL.")

    @Option(name: .shortAndLong, help: ArgumentHelp("List so many at most.", valueName: "count"))
    var number: Int = .max

    mutating func validate() throws {
      if number < 1 { throw ValidationError("-n takes a number above 0.") }
    }

    func run() async throws {
      try tellingFailures {
        let cache = URLCache.shared
        let entries = cache.entries(limit: number)
        try CacheCommand.demandDisk(cache)
        for entry in entries { StandardOutput.line(EntryText.line(entry, now: Date())) }
        let used = Quantity.bytes(Int64(cache.currentDiskUsage))
        StandardOutput.line("\(entries.count) response\(entries.count == 1 ? "" : "s"); \(used) on disk")
      }
    }
  }

  /// `urlload cache show`: shows the response that is stored for a URL.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what is stored for a URL: its facts and its head, or its body.")

    @Flag(name: .shortAndLong, help: "Write the body, decoded, instead.")
    var body = false

    @Argument(help: "The URL, as it was loaded.")
    var url: String

    func run() async throws {
      try tellingFailures {
        let cache = URLCache.shared
        let parsed = try CacheCommand.parsed(url)
        let entries = cache.entries(for: parsed)
        try CacheCommand.demandDisk(cache)
        guard !entries.isEmpty else { throw CacheCommand.nothing(url) }
        guard body else {
          for entry in entries { for line in EntryText.facts(entry, now: Date()) { StandardOutput.line(line) } }
          if let response = cache.cachedResponse(for: URLRequest(url: parsed))?.response {
            for line in HeadText.verbose(response) { StandardOutput.line(line) }
          }
          return
        }
        guard let stored = cache.cachedResponse(for: URLRequest(url: parsed)) else { throw CacheCommand.nothing(url) }
        if let code = Descriptor.writeAll(stored.data, to: STDOUT_FILENO) { throw WriteFailure.failure("standard output", code) }
      }
    }
  }

  /// `urlload cache rm`: removes stored responses.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove what is stored for URLs, or everything.")

    @Flag(help: "Remove everything.")
    var all = false

    @Argument(help: "The URLs, as they were loaded.")
    var urls: [String] = []

    mutating func validate() throws {
      if all != urls.isEmpty { throw ValidationError("Name the URLs to remove, or --all for everything.") }
    }

    func run() async throws {
      try await tellingFailures {
        let cache = URLCache.shared
        if all { cache.removeAllCachedResponses() }
        for url in urls {
          let parsed = try CacheCommand.parsed(url)
          guard !cache.entries(for: parsed).isEmpty else { throw CacheCommand.nothing(url) }
          cache.removeEntries(for: parsed)
        }
        await cache.flush()
        try CacheCommand.demandDisk(cache)
      }
    }
  }

  private static func parsed(_ text: String) throws(ToolFailure) -> URL {
    guard let url = PercentEncoding.url(text), url.host() != nil else {
      throw ToolFailure(.malformedURL, "\"\(Masking.url(text))\" is no URL; write it as 'urlload cache ls' shows it")
    }
    return url
  }

  private static func nothing(_ url: String) -> ToolFailure {
    ToolFailure(.fileUnreadable, "nothing is stored for \(Masking.url(url)); 'urlload cache ls' shows what is")
  }

  private static func demandDisk(_ cache: URLCache) throws(ToolFailure) {
    if let failure = cache.diskFailure { throw ToolFailure(.writeFailed, "the cache: \(failure)") }
  }
}

/// Describes a stored response. Pure.
enum EntryText {
  /// The response in one line: status, size, age, freshness, type, URL.
  static func line(_ entry: URLCache.StoredEntry, now: Date) -> String {
    let url = Printable.text(Masking.url(entry.url.absoluteString))
    return [
      String(entry.statusCode), Quantity.bytes(entry.bodySize).alignedRight(8), age(entry.storedAt, now).alignedRight(5),
      freshness(entry.expires, now).alignedLeft(11), Printable.text(entry.mimeType ?? "-").alignedLeft(24), url,
    ].joined(separator: "  ")
  }

  /// The response in several lines.
  static func facts(_ entry: URLCache.StoredEntry, now: Date) -> [String] {
    var lines = [
      Printable.text(Masking.url(entry.url.absoluteString)), "  status     \(entry.statusCode)",
      "  body       \(Quantity.bytes(entry.bodySize)) as stored", "  stored     \(age(entry.storedAt, now)) ago",
      "  last used  \(age(entry.lastUsed, now)) ago", "  freshness  \(freshness(entry.expires, now))",
    ]
    for (name, value) in entry.requestFields.sorted(by: { $0.key < $1.key }) {
      lines.append(Printable.text("  for        \(Masking.field(name, value))"))
    }
    return lines
  }

  private static func freshness(_ expires: Date?, _ now: Date) -> String {
    guard let expires else { return "ask always" }
    return expires > now ? "fresh \(span(expires.timeIntervalSince(now)))" : "stale"
  }

  private static func age(_ date: Date, _ now: Date) -> String { span(max(0, now.timeIntervalSince(date))) }

  /// A time span in its largest unit, such as "59 s", "12 m", "3 h" or "99 d".
  static func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<60: "\(Int(seconds)) s"
    case ..<3600: "\(Int(seconds / 60)) m"
    case ..<86_400: "\(Int(seconds / 3600)) h"
    case ..<8.64e12: "\(Int(seconds / 86_400)) d"
    default: "ever"
    }
  }
}
