import Foundation
import LoadingModel

/// Encodes requests and decodes responses as binary HTTP messages (RFC 9292).
package enum BinaryHTTP {
  /// Encodes a complete request in the known-length form.
  ///
  /// - Parameter fields: The header fields, without `Host` and without those that belong to one connection.
  package static func request(method: String, _ target: Target, _ fields: HeaderFields, body: Data, trailers: HeaderFields = .init())
    -> Data
  {
    var message = Data([0])
    for text in [method, target.origin.scheme, target.authority, target.pathAndQuery] { append(Data(text.utf8), to: &message) }
    append(section(fields), to: &message)
    append(body, to: &message)
    append(section(trailers), to: &message)
    return message
  }

  /// A response's final head, its content and its trailers.
  package struct Response: Sendable {
    package var head: ResponseHead
    package var content: Data
    package var trailers: HeaderFields
  }

  /// Decodes a response, in the known-length or the indeterminate-length form.
  ///
  /// - Throws: `cannotParseResponse` if `message` isn't a response, or malformed.
  package static func response(_ message: Data) throws(LoadError) -> Response {
    var reader = Reader(bytes: message)
    guard let indicator = reader.integer(), indicator == 1 || indicator == 3 else { throw malformed("it isn't a response") }
    let hasLengths = indicator == 1
    var informational = 0
    while true {
      guard let status = reader.integer(), (100...599).contains(status) else { throw malformed("it has no valid status") }
      let fields = try fields(&reader, hasLengths)
      guard status >= 200 else {
        informational += 1
        guard status != 101, informational <= 1000 else { throw malformed("it has informational responses that it may not have") }
        continue
      }
      let content = try content(&reader, hasLengths)
      let trailers = try self.fields(&reader, hasLengths)
      guard reader.isPadding else { throw malformed("there are bytes behind it") }
      return Response(head: ResponseHead(status: Int(status), version: "HTTP/2", headers: fields), content: content, trailers: trailers)
    }
  }

  private static func malformed(_ reason: String) -> LoadError {
    LoadError(.cannotParseResponse, .head, "the binary message of the oblivious response can't be read: \(reason)")
  }

  // MARK: parts

  /// Reads a field section. It may be missing at the end of the message, which means that it is empty (RFC 9292, 3.8).
  private static func fields(_ reader: inout Reader, _ hasLength: Bool) throws(LoadError) -> HeaderFields {
    if reader.isAtEnd { return HeaderFields() }
    var section = reader
    if hasLength {
      guard let bytes = reader.bytes() else { throw malformed("a field section is cut short") }
      section = Reader(bytes: bytes)
    }
    var entries: [HeaderFields.Entry] = []
    while !hasLength || !section.isAtEnd {
      guard let name = section.bytes() else { throw malformed("a field is cut short") }
      if !hasLength, name.isEmpty { break }
      guard let value = section.bytes() else { throw malformed("a field is cut short") }
      let (nameText, valueText) = (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
      guard FieldSyntaxRules.isToken(nameText), FieldSyntaxRules.isFieldValue(valueText) else { throw malformed("it has an invalid field") }
      entries.append((nameText, valueText))
    }
    if !hasLength { reader = section }
    return HeaderFields(entries)
  }

  private static func content(_ reader: inout Reader, _ hasLength: Bool) throws(LoadError) -> Data {
    if reader.isAtEnd { return Data() }
    var content = Data()
    repeat {
      guard let chunk = reader.bytes() else { throw malformed("its content is cut short") }
      if !hasLength, chunk.isEmpty { break }
      content += chunk
    } while !hasLength
    return content
  }

  private static func section(_ fields: HeaderFields) -> Data {
    var section = Data()
    for (name, value) in fields.entries {
      append(Data(name.lowercased().utf8), to: &section)
      append(Data(value.utf8), to: &section)
    }
    return section
  }

  private static func append(_ bytes: Data, to message: inout Data) {
    append(UInt64(bytes.count), to: &message)
    message += bytes
  }

  /// Appends a number in QUIC's variable-length encoding (RFC 9000, 16).
  package static func append(_ number: UInt64, to message: inout Data) {
    let (prefix, count): (UInt64, Int) =
      switch number {
      case 0..<0x40: (0, 1)
      case 0x40..<0x4000: (0x4000, 2)
      case 0x4000..<0x4000_0000: (0x8000_0000, 4)
      default: (0xC000_0000_0000_0000, 8)
      }
    withUnsafeBytes(of: (number | prefix).bigEndian) { message.append(contentsOf: $0.suffix(count)) }
  }

  /// Reads numbers and length-prefixed bytes from the front of a message.
  package struct Reader {
    private var rest: Data

    package init(bytes: Data) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }
    /// Whether only zeros follow, which RFC 9292, 3.8 allows as padding.
    var isPadding: Bool { rest.allSatisfy { $0 == 0 } }

    package mutating func integer() -> UInt64? {
      guard let first = rest.first else { return nil }
      let count = 1 << Int(first >> 6)
      guard rest.count >= count else { return nil }
      let value = rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(count)
      return count == 8 ? value & 0x3FFF_FFFF_FFFF_FFFF : value & ((1 << (UInt64(count) * 8 - 2)) - 1)
    }

    /// Reads bytes that have their length before them; nil if there are fewer.
    package mutating func bytes() -> Data? {
      guard let length = integer(), length <= UInt64(rest.count) else { return nil }
      defer { rest = rest.dropFirst(Int(length)) }
      return rest.prefix(Int(length))
    }
  }
}
