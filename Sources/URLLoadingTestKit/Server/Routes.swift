#if TestKit
  import Foundation
  import LoadingModel

  /// A path pattern, a method and what answers them.
  ///
  /// A pattern's segments match literally, except `{name}`, which matches any one segment and makes it a parameter, and a final `*`,
  /// which matches the rest.
  struct RoutePattern: Sendable {
    let method: TestServer.Method?
    let plan: ReplyPlan
    private let segments: [String]

    init(_ pattern: String, _ method: TestServer.Method?, _ plan: ReplyPlan) {
      segments = pattern.split(separator: "/").map(String.init)
      self.method = method
      self.plan = plan
    }

    func accepts(_ method: String) -> Bool {
      guard let own = self.method else { return true }
      return own.rawValue == method || (own == .GET && method == "HEAD")
    }

    /// The parameters if `path` matches.
    func match(_ path: [Substring]) -> [String: String]? {
      let isOpenEnded = segments.last == "*"
      let fixed = isOpenEnded ? segments.dropLast() : segments[...]
      guard isOpenEnded ? path.count >= fixed.count : path.count == fixed.count else { return nil }
      var parameters: [String: String] = [:]
      for (segment, part) in zip(fixed, path) {
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
          parameters[String(segment.dropFirst().dropLast())] = part.removingPercentEncoding ?? String(part)
        } else if segment != part {
          return nil
        }
      }
      return parameters
    }
  }

  extension TestServer {
    /// A request method: one of the constants, or any other as a string literal.
    public struct Method: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
      /// The method as it travels.
      public let rawValue: String

      /// The method that travels as `rawValue`.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The method that travels as the literal.
      public init(stringLiteral value: String) { rawValue = value }

      /// Asks for content. A route for it answers HEAD as well.
      public static let GET: Method = "GET"
      /// Asks for the headers alone.
      public static let HEAD: Method = "HEAD"
      /// Hands in content.
      public static let POST: Method = "POST"
      /// Replaces content.
      public static let PUT: Method = "PUT"
      /// Changes content.
      public static let PATCH: Method = "PATCH"
      /// Removes content.
      public static let DELETE: Method = "DELETE"
      /// Asks what is possible.
      public static let OPTIONS: Method = "OPTIONS"
    }

    /// A set of routes that can be given to a server as a whole.
    public struct Routes: Sendable {
      private(set) var list: [RoutePattern] = []

      /// No routes.
      public init() {}

      /// Answers requests for `path` by what `responder` returns. It runs on the server's event loop: it must not block.
      ///
      /// `path` may contain `{name}` for any one segment and may end in `*` for any rest. Without a method, every method matches.
      public mutating func add(
        _ path: String, _ method: Method? = nil, _ responder: @escaping @Sendable (RecordedRequest) -> Reply
      ) {
        list.append(RoutePattern(path, method, ReplyPlan { request, _ in responder(request) }))
      }

      /// Answers requests for `path` by the same reply each time.
      public mutating func add(_ path: String, _ method: Method? = nil, reply: Reply) {
        list.append(RoutePattern(path, method, ReplyPlan(fixed: reply)))
      }

      mutating func add(_ path: String, _ responder: @escaping @Sendable (RecordedRequest, ReplySource) -> Reply) {
        list.append(RoutePattern(path, nil, ReplyPlan(responder: responder)))
      }
    }
  }
#endif
