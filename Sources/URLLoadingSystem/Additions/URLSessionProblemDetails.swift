public import Foundation

/// A server's description of an error, as "problem details" (RFC 9457, `application/problem+json`). An addition to Apple's API.
///
///     let (data, response) = try await session.data(for: request)
///     if let problem = URLSessionProblemDetails(response, data) { print(problem.title ?? "", problem.detail ?? "") }
///
/// A member whose value has the wrong type counts as absent (RFC 9457, 3.1).
public struct URLSessionProblemDetails: Error, Sendable, Hashable, Codable, CustomStringConvertible, LocalizedError {
  /// Any JSON value, as the value of an extension member.
  public enum Value: Sendable, Hashable, Codable {
    /// JSON's null.
    case null
    /// A JSON boolean.
    case bool(Bool)
    /// A JSON number.
    case number(Double)
    /// A JSON string.
    case string(String)
    /// A JSON array.
    case array([Value])
    /// A JSON object: values by name.
    case object([String: Value])
  }

  /// The type of problem: a URI reference, resolved against the response's URL if it is relative. "about:blank" if there is none: then only the
  /// status describes the problem.
  public var type: String
  /// A short description of this type of problem; nil if the server sent none.
  public var title: String?
  /// The status, according to the problem's `status` member, or else the response's.
  public var status: Int?
  /// A description of this occurrence of the problem; nil if the server sent none.
  public var detail: String?
  /// A URI reference that identifies this occurrence, resolved against the response's URL if it is relative; nil if the server sent none.
  public var instance: String?
  /// All other members of the JSON object.
  public var extensions: [String: Value]

  /// A problem with the given members, for tests and for errors of the app's own.
  public init(
    type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil, instance: String? = nil,
    extensions: [String: Value] = [:]
  ) {
    (self.type, self.title, self.status, self.detail, self.instance) = (type, title, status, detail, instance)
    self.extensions = extensions
  }

  /// The problem in a response's body; nil if its media type isn't `application/problem+json` or the body isn't a JSON object.
  public init?(_ response: URLResponse, _ data: Data) {
    guard response.mimeType?.lowercased() == "application/problem+json" else { return nil }
    guard case .object(let members)? = try? JSONDecoder().decode(Value.self, from: data) else { return nil }
    self.init(members, base: response.url)
    if status == nil { status = (response as? HTTPURLResponse)?.statusCode }
  }

  private init(_ members: [String: Value], base: URL?) {
    func text(_ name: String) -> String? { members[name]?.text }
    func reference(_ name: String) -> String? { text(name).map { URL(string: $0, relativeTo: base)?.absoluteString ?? $0 } }
    let type = reference("type").flatMap { $0.isEmpty ? nil : $0 } ?? "about:blank"
    self.init(
      type: type, title: text("title"), status: members["status"]?.statusCode, detail: text("detail"), instance: reference("instance"),
      extensions: members.filter { !URLSessionProblemDetails.names.contains($0.key) })
  }

  private static let names = ["type", "title", "status", "detail", "instance"]

  /// Decodes a problem from a JSON object.
  public init(from decoder: any Decoder) throws {
    guard case .object(let members) = try Value(from: decoder) else {
      throw DecodingError.typeMismatch(
        [String: Value].self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "problem details are a JSON object"))
    }
    self.init(members, base: nil)
  }

  /// Encodes the problem as a JSON object.
  public func encode(to encoder: any Encoder) throws {
    var members = extensions
    members["type"] = .string(type)
    members["title"] = title.map { .string($0) }
    members["status"] = status.map { .number(Double($0)) }
    members["detail"] = detail.map { .string($0) }
    members["instance"] = instance.map { .string($0) }
    try Value.object(members).encode(to: encoder)
  }

  /// Title and detail; if both are nil, the status and type.
  public var description: String {
    let texts = [title, detail].compactMap { $0 }
    return texts.isEmpty ? "\(status.map { "status \($0), " } ?? "")\(type)" : texts.joined(separator: ": ")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension URLSessionProblemDetails.Value {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([URLSessionProblemDetails.Value].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: URLSessionProblemDetails.Value].self))
    }
  }

  /// Encodes the value as JSON.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }

  fileprivate var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  fileprivate var statusCode: Int? {
    guard case .number(let number) = self, let code = Int(exactly: number), (100...999).contains(code) else { return nil }
    return code
  }
}

extension HTTPURLResponse {
  /// Throws if the status is 400 or above. An addition to Apple's API.
  ///
  ///     let (data, response) = try await session.data(for: request)
  ///     try (response as? HTTPURLResponse)?.validate(data)
  ///
  /// - Parameter data: The response's body.
  /// - Throws: The server's `URLSessionProblemDetails`; if it sent none, one with the type "about:blank", the status and its standard text.
  public func validate(_ data: Data = Data()) throws {
    guard statusCode >= 400 else { return }
    throw URLSessionProblemDetails(self, data)
      ?? URLSessionProblemDetails(title: HTTPURLResponse.localizedString(forStatusCode: statusCode), status: statusCode)
  }
}
