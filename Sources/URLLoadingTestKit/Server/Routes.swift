#if TestKit
  import Foundation
  import LoadingModel

  /// A route: a path pattern, a method, and the plan for requests that match them.
  ///
  /// A pattern's segments match literally, except `{name}`, which matches any one segment and makes it a parameter, and a final `*`, which matches
  /// any remaining segments.
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

    /// The values of the pattern's parameters if `path`, in segments, matches; otherwise nil.
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
      /// The method's name as it is sent.
      public let rawValue: String

      /// The method with this name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The method with the literal as its name.
      public init(stringLiteral value: String) { rawValue = value }

      /// Requests the content of a resource. A route for GET answers HEAD too.
      public static let GET: Method = "GET"
      /// Requests only the header fields of a resource.
      public static let HEAD: Method = "HEAD"
      /// Sends content to a resource.
      public static let POST: Method = "POST"
      /// Creates or replaces a resource.
      public static let PUT: Method = "PUT"
      /// Changes a resource partially.
      public static let PATCH: Method = "PATCH"
      /// Removes a resource.
      public static let DELETE: Method = "DELETE"
      /// Asks which methods and options a resource has.
      public static let OPTIONS: Method = "OPTIONS"
    }

    /// A set of routes that can be given to a server as a whole.
    public struct Routes: Sendable {
      private(set) var list: [RoutePattern] = []

      /// No routes.
      public init() {}

      /// Answers requests for `path` by the result of `responder`, which runs on the server's event loop and must not block.
      ///
      /// `path` may contain `{name}` for any one segment and may end in `*` for any remaining segments. Without a method, every method matches.
      public mutating func add(
        _ path: String, _ method: Method? = nil, _ responder: @escaping @Sendable (RecordedRequest) -> Reply
      ) {
        list.append(RoutePattern(path, method, ReplyPlan { request, _ in responder(request) }))
      }

      /// Answers each request for `path` by the same reply.
      public mutating func add(_ path: String, _ method: Method? = nil, reply: Reply) {
        list.append(RoutePattern(path, method, ReplyPlan(fixed: reply)))
      }

      mutating func add(_ path: String, _ responder: @escaping @Sendable (RecordedRequest, ReplySource) -> Reply) {
        list.append(RoutePattern(path, nil, ReplyPlan(responder: responder)))
      }
    }
  }
#endif
