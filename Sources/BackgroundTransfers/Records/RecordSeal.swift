import Cryptography
import Foundation
import Stores

/// Seals what lies in the queue and may hold secrets: AES-256-GCM, with a key that lies in another folder.
///
/// The place of a record is authenticated with it: one that was moved to another row can't be opened.
struct RecordSeal: Sendable {
  /// Which record of the queue it is.
  enum Place {
    case session(key: Data)
    case transfer(Part, session: Int64, task: Int)
    case log

    enum Part: String {
      case order, notes, reason, resumeData, response, outcome
    }

    fileprivate var bytes: Data {
      switch self {
      case .session(let key): Data("session/".utf8) + key
      case .transfer(let part, let session, let task): Data("\(part.rawValue)/\(session)/\(task)".utf8)
      case .log: Data("log".utf8)
      }
    }
  }

  private let key: SealingKey

  /// - Parameter file: Where the key lies; it is made if it isn't there.
  init(keyFile file: URL) throws {
    let file = KeyFile(file)
    key = try file.read() ?? file.make()
  }

  func seal(_ plain: Data, _ place: Place) throws -> Data {
    guard let sealed = key.seal(plain, authenticating: place.bytes) else {
      throw StoreFailure(path: QueueFile.name, reason: "a record can't be encrypted").asRefusal
    }
    return sealed
  }

  /// nil if the record is damaged, or was sealed with another key.
  func open(_ sealed: Data, _ place: Place) -> Data? { key.open(sealed, authenticating: place.bytes) }

  func seal(_ value: some Encodable, as place: Place) throws -> Data {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = RecordSeal.encodedFloats
    return try seal(encoder.encode(value), place)
  }

  func open<Value: Decodable>(_: Value.Type = Value.self, _ sealed: Data?, as place: Place) -> Value? {
    guard let sealed, let plain = open(sealed, place) else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = RecordSeal.decodedFloats
    return try? decoder.decode(Value.self, from: plain)
  }

  // A timeout may be infinite.
  private static let encodedFloats = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  private static let decodedFloats = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
}

extension RecordSeal {
  /// The text of a transfer's reason to wait; nil if it can't be opened.
  func reason(_ sealed: Data?, _ session: Int64, _ task: Int) -> String? {
    sealed.flatMap { open($0, .transfer(.reason, session: session, task: task)) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
