import Foundation

/// Encodes and decodes messages: JSON in UTF-8, in frames that begin with the length in 4 bytes, big-endian.
package enum MessageCoding {
  /// How deeply arrays and objects may be nested; the messages need a dozen levels.
  package static let maximumNesting = 64

  /// - Throws: If a value can't be expressed as JSON.
  package static func encode(_ message: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // Equal values become equal bytes, because encoded session terms are compared.
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(message)
  }

  /// - Throws: `.badMessage` if the data isn't a message of this type. The refusal's text has no values of the message.
  package static func decode<Message: Decodable>(_ type: Message.Type, from data: Data) throws(Refusal) -> Message {
    if let fault = data.withUnsafeBytes({ NestingScan.fault(in: $0, limit: maximumNesting) }) { throw Refusal(.badMessage, fault) }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(type, from: data)
    } catch {
      let place = place(of: error)
      throw Refusal(.badMessage, "The message isn't one that this version knows\(place). App and daemon should be of one version.")
    }
  }

  /// The message with its length before it; nil if it can't be encoded or is above `FrameReader.maximumMessage`.
  package static func frame(_ message: some Encodable) -> Data? {
    guard let body = try? encode(message), body.count <= FrameReader.maximumMessage else { return nil }
    var frame = Data(capacity: FrameReader.headerSize + body.count)
    withUnsafeBytes(of: UInt32(body.count).bigEndian) { frame.append(contentsOf: $0) }
    frame.append(body)
    return frame
  }

  /// The path of keys to the error, as text. It is cut off at 200 characters, because keys of dictionaries come from the peer.
  private static func place(of error: any Error) -> String {
    let path: [any CodingKey] =
      switch error as? DecodingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath
      case nil: []
      @unknown default: []
      }
    let text = path.prefix(maximumNesting).map(\.stringValue).joined(separator: ".").prefix(200)
    return text.isEmpty ? "" : " (\(text))"
  }
}
