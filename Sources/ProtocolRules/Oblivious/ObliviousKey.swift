import Cryptography
import Foundation
import LoadingModel

/// The public key of an Oblivious HTTP gateway (RFC 9458, 3), to which requests are encrypted.
package struct ObliviousKey: Sendable, Hashable {
  private static let requestLabel = "message/bhttp request"
  private static let responseLabel = "message/bhttp response"

  private let identifier: UInt8
  private let suite: HybridSuite
  private let publicKey: Data

  /// The first usable key of a configuration: a single one in the encoding of RFC 9458, 3.1, or a list of them (3.2, “application/ohttp-keys”).
  ///
  /// - Returns: nil if no key is usable.
  package init?(_ configuration: Data) {
    let bytes = Array(configuration)
    for key in ObliviousKey.list(bytes) ?? [bytes] {
      if let key = ObliviousKey(single: key) {
        self = key
        return
      }
    }
    return nil
  }

  /// The members of a list, each with a length of two bytes before it; nil if the bytes aren't such a list.
  private static func list(_ bytes: [UInt8]) -> [[UInt8]]? {
    var (keys, reader) = ([[UInt8]](), BigEndianReader(bytes))
    while !reader.isAtEnd {
      guard let key = reader.array16(), !key.isEmpty else { return nil }
      keys.append(key)
    }
    return keys
  }

  private init?(single bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    guard let identifier = reader.byte(), let encapsulation = reader.integer16(),
      let keyLength = HybridSuite.keyLength(encapsulation: encapsulation), let key = reader.array(keyLength),
      var list = reader.part16(), reader.isAtEnd, list.remaining.isMultiple(of: 4)
    else { return nil }
    var suite: HybridSuite?
    while suite == nil, let derivation = list.integer16(), let encryption = list.integer16() {
      suite = HybridSuite(encapsulation: encapsulation, derivation: derivation, encryption: encryption)
    }
    guard let suite else { return nil }
    (self.identifier, self.suite, publicKey) = (identifier, suite, Data(key))
  }

  /// An encrypted request, and the context that decrypts its response.
  package struct Sealed {
    package let message: Data
    package let answer: ObliviousAnswer
  }

  /// Encrypts a binary request to the gateway; nil if the public key is invalid, or the request is too long.
  package func seal(_ request: Data) -> Sealed? {
    let header = ObliviousKey.header(identifier, suite)
    guard let context = HybridContext(suite, to: publicKey, info: ObliviousKey.info(header)), let sealed = context.seal(request),
      let answer = ObliviousAnswer(context, suite)
    else { return nil }
    return Sealed(message: header + context.encapsulated + sealed, answer: answer)
  }

  // MARK: the gateway's side

  /// A private key and the configuration of its public key, for gateways in tests.
  package static func make(
    encapsulation: UInt16 = 0x0020, derivation: UInt16 = 1, encryption: UInt16 = 1
  ) -> (configuration: Data, privateKey: Data)? {
    guard HybridSuite(encapsulation: encapsulation, derivation: derivation, encryption: encryption) != nil,
      let keys = HybridContext.makeKeys(encapsulation: encapsulation)
    else { return nil }
    var configuration = Data([1]) + bytes(encapsulation) + keys.publicKey
    configuration += bytes(4) + bytes(derivation) + bytes(encryption)
    return (configuration, keys.privateKey)
  }

  /// Decrypts a request with the gateway's private key, for tests; nil if it is malformed or damaged.
  package static func open(_ message: Data, privateKey: Data) -> (request: Data, answer: ObliviousAnswer)? {
    let bytes = Array(message)
    guard bytes.count > 7 else { return nil }
    func number(at place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
    guard let suite = HybridSuite(encapsulation: number(at: 1), derivation: number(at: 3), encryption: number(at: 5)),
      bytes.count > 7 + suite.publicKeyLength
    else { return nil }
    let encapsulated = Data(bytes[7..<7 + suite.publicKeyLength])
    let info = info(Data(bytes.prefix(7)))
    guard let context = HybridContext(suite, privateKey: privateKey, encapsulated: encapsulated, info: info),
      let request = context.open(Data(bytes.dropFirst(7 + suite.publicKeyLength))), let answer = ObliviousAnswer(context, suite)
    else { return nil }
    return (request, answer)
  }

  private static func header(_ identifier: UInt8, _ suite: HybridSuite) -> Data {
    Data([identifier]) + bytes(suite.encapsulation) + bytes(suite.derivation) + bytes(suite.encryption)
  }

  private static func info(_ header: Data) -> Data { Data(requestLabel.utf8) + [0] + header }

  private static func bytes(_ number: UInt16) -> Data { Data([UInt8(number >> 8), UInt8(number & 0xFF)]) }

  /// The length in bytes of the secret that response keys are made from, and of the nonce before a response (RFC 9458, 4.4).
  fileprivate static func answerLength(_ suite: HybridSuite) -> Int { max(HybridSuite.nonceLength, suite.secretKeyLength) }
  fileprivate static var answerLabel: String { responseLabel }
}

/// The context of one encrypted request that decrypts its response, and on a gateway encrypts it (RFC 9458, 4.4).
package struct ObliviousAnswer: Sendable {
  private let suite: HybridSuite
  private let secret: [UInt8]
  private let encapsulated: Data

  fileprivate init?(_ context: HybridContext, _ suite: HybridSuite) {
    guard let secret = context.export(ObliviousKey.answerLabel, length: ObliviousKey.answerLength(suite)) else { return nil }
    (self.suite, self.secret, encapsulated) = (suite, secret, context.encapsulated)
  }

  /// Decrypts the response; nil if it wasn't encrypted for this request.
  package func open(_ message: Data) -> Data? {
    let length = ObliviousKey.answerLength(suite)
    guard message.count > length else { return nil }
    let (key, nonce) = keys(message.prefix(length))
    return suite.open(Data(message.dropFirst(length)), key: key, nonce: nonce)
  }

  /// Encrypts the response, as a gateway does.
  package func seal(_ response: Data) -> Data? {
    let length = ObliviousKey.answerLength(suite)
    let salt = Data((0..<length).map { _ in UInt8.random(in: .min ... .max) })
    let (key, nonce) = keys(salt)
    return suite.seal(response, key: key, nonce: nonce).map { salt + $0 }
  }

  private func keys(_ salt: Data) -> (key: [UInt8], nonce: [UInt8]) {
    let function: HashFunction = suite.derivation == 2 ? .sha384 : .sha256
    let key = function.extractedKey(from: secret, salt: encapsulated + salt)
    return (
      function.expanded(key, info: "key", length: suite.secretKeyLength),
      function.expanded(key, info: "nonce", length: HybridSuite.nonceLength)
    )
  }
}
