#if TestKit
  import Foundation
  import LoadingModel

  /// Builds the replies of the standard routes that need more than a line.
  enum StandardReplies {
    static let badParameter = Reply.text("A parameter of this path is missing or out of range.\n", status: 400)

    static func echo(_ request: RecordedRequest) -> [String: Any] {
      [
        "method": request.method,
        "url": request.root + request.uri,
        "args": merged(request.query),
        "headers": headers(request),
        "bodyLength": request.bodyLength,
        "body": request.text,
        "connection": request.connection.ordinal,
      ]
    }

    static func headers(_ request: RecordedRequest) -> [String: String] { merged(request.headers) }

    /// A dictionary in which the values of the same name are joined by ", ", as with header fields.
    private static func merged(_ items: some Sequence<(name: String, value: String)>) -> [String: String] {
      Dictionary(items.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    }

    static func cookies(_ request: RecordedRequest) -> [String: String] {
      var cookies: [String: String] = [:]
      for field in request.headers.all("Cookie") {
        for pair in field.split(separator: ";") {
          let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          if parts.count == 2 { cookies[String(parts[0].trimmingSpaces())] = String(parts[1].trimmingSpaces()) }
        }
      }
      return cookies
    }

    /// 304 if `If-None-Match` contains `tag` (RFC 9110, 13.1.2), 412 if `If-Match` doesn't contain it (13.1.1), otherwise the echo of the request.
    static func conditional(_ request: RecordedRequest, tag: String, headers: HeaderList) -> Reply {
      var reply = Reply.json(echo(request))
      if request.headers.contains(name: "If-Match"), !names(tag, in: request, "If-Match") {
        reply = Reply(412)
      } else if names(tag, in: request, "If-None-Match") {
        reply = Reply(304)
      }
      reply.headers["ETag"] = tag
      for (name, value) in headers { reply.headers[name] = value }
      return reply
    }

    private static func names(_ tag: String, in request: RecordedRequest, _ field: String) -> Bool {
      request.headers.all(field).contains { value in
        value.split(separator: ",").contains { candidate in
          let candidate = candidate.trimmingSpaces()
          return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
      }
    }

    /// The alphabet pattern, or the part of it that the `Range` field asks for (RFC 9110, 14). A request for several ranges gets the whole body.
    static func range(of count: Int, _ request: RecordedRequest) -> Reply {
      let tag = "\"range-\(count)\""
      let headers: HeaderList = ["Accept-Ranges": "bytes", "ETag": tag, "Content-Type": "application/octet-stream"]
      let whole = Reply(headers: headers, body: .pattern(count: count))
      let condition = request.headers["If-Range"]
      guard condition == nil || condition == tag, let field = request.headers["Range"], let asked = ByteRange(field) else { return whole }
      guard let range = asked.resolved(count) else {
        return Reply(416, headers: ["Accept-Ranges": "bytes", "Content-Range": "bytes */\(count)"])
      }
      var part = Reply(206, headers: headers, body: .pattern(from: range.lowerBound, count: range.count))
      part.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
      return part
    }
  }

  /// A `Range` field with a single range (RFC 9110, 14.1.2).
  private struct ByteRange {
    private let first: Int?
    private let last: Int?

    init?(_ field: String) {
      guard field.hasPrefix("bytes=") else { return nil }
      let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2 else { return nil }
      let numbers = ends.map { Int($0.trimmingSpaces()) }
      guard ends.allSatisfy({ $0.isEmpty }) == false, zip(ends, numbers).allSatisfy({ $0.isEmpty || $1 != nil }) else { return nil }
      first = numbers[0]
      last = numbers[1]
      if let first, let last, last < first { return nil }
    }

    /// The range as offsets in a body of `count` bytes; nil if it lies outside.
    func resolved(_ count: Int) -> Range<Int>? {
      switch (first, last) {
      case (let first?, let last): first < count ? first..<min(count - 1, last ?? count - 1) + 1 : nil
      case (nil, let suffix?): suffix > 0 && count > 0 ? max(0, count - suffix)..<count : nil
      case (nil, nil): nil
      }
    }
  }

  extension RecordedRequest {
    /// A parameter of the route as a number; nil if it isn't a number or is negative.
    func number(_ name: String) -> Int? {
      parameters[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The scheme and authority that the client used, as in "http://localhost:8080"; empty if the request target is an absolute URL itself.
    var root: String {
      guard uri.hasPrefix("/") else { return "" }
      return (connection.tlsVersion == nil ? "http://" : "https://") + (headers["Host"] ?? "127.0.0.1")
    }
  }
#endif
