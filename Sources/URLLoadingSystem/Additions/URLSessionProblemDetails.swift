public import Foundation

/// What a server says about an error, as "problem details" (RFC 9457, `application/problem+json`). An addition to Apple's API.
///
///     let (data, response) = try await session.data(for: request)
///     if let problem = URLSessionProblemDetails(response, data) { print(problem.title ?? "", problem.detail ?? "") }
///
/// A member that isn't of its kind is taken for absent (RFC 9457, 3.1).
public struct URLSessionProblemDetails: Error, Sendable, Hashable, Codable, CustomStringConvertible, LocalizedError {
  /// Any value of JSON: of an extension member.
  public enum Value: Sendable, Hashable, Codable {
    /// JSON's null.
    case null
    /// true or false.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([Value])
    /// Named values.
    case object([String: Value])
  }

  /// The kind of problem: a URI reference, resolved against the response's URL where it is relative. "about:blank" if there is none: then the
  /// status says it all.
  public var type: String
  /// A short text about this kind of problem.
  public var title: String?
  /// The status that the server says it has sent.
  public var status: Int?
  /// A text about this occurrence of the problem.
  public var detail: String?
  /// A URI reference for this occurrence.
  public var instance: String?
  /// All other members.
  public var extensions: [String: Value]

  /// A problem of the given members.
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

  /// Reads the members of a JSON object.
  public init(from decoder: any Decoder) throws {
    guard case .object(let members) = try Value(from: decoder) else {
      throw DecodingError.typeMismatch(
        [String: Value].self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "problem details are a JSON object"))
    }
    self.init(members, base: nil)
  }

  /// Writes a JSON object.
  public func encode(to encoder: any Encoder) throws {
    var members = extensions
    members["type"] = .string(type)
    members["title"] = title.map { .string($0) }
    members["status"] = status.map { .number(Double($0)) }
    members["detail"] = detail.map { .string($0) }
    members["instance"] = instance.map { .string($0) }
    try Value.object(members).encode(to: encoder)
  }

  /// Title and detail, or else the status and type.
  public var description: String {
    let texts = [title, detail].compactMap { $0 }
    return texts.isEmpty ? "\(status.map { "status \($0), " } ?? "")\(type)" : texts.joined(separator: ": ")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}

extension URLSessionProblemDetails.Value {
  /// Reads any JSON value.
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

  /// Writes the value as JSON.
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
  /// - Throws: The server's `URLSessionProblemDetails`; where it sent none, one with the type "about:blank", the status and its standard text.
  public func validate(_ data: Data = Data()) throws {
    guard statusCode >= 400 else { return }
    throw URLSessionProblemDetails(self, data)
      ?? URLSessionProblemDetails(title: HTTPURLResponse.localizedString(forStatusCode: statusCode), status: statusCode)
  }
}
