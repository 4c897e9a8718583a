import Cryptography
import Foundation
import Stores

/// Encrypts the values in the database that may hold secrets: AES-256-GCM, with a key in another folder.
///
/// The place of a value is authenticated with it, so that a value that was moved to another row can't be decrypted.
struct RecordSeal: Sendable {
  /// Which value of the database it is.
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

  /// - Parameter file: The file of the key, which is made if it doesn't exist.
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

  /// Decrypts a value; nil if it is damaged, comes from another place, or was encrypted with another key.
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

  // JSON has no infinity, but timeouts may be infinite.
  private static let encodedFloats = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  private static let decodedFloats = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
}

extension RecordSeal {
  /// Decrypts the text that says why a transfer waits or has failed; nil if that fails.
  func reason(_ sealed: Data?, _ session: Int64, _ task: Int) -> String? {
    sealed.flatMap { open($0, .transfer(.reason, session: session, task: task)) }.map { String(decoding: $0, as: UTF8.self) }
  }
}
