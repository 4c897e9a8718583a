/// How the encryption of a connection's ClientHello (ECH; RFC 9849) ended.
package enum EncryptedHelloUse: String, Codable, Sendable, Hashable, CaseIterable {
  /// The ClientHello had no ECH extension.
  case unused
  /// No keys were known: the ClientHello had an extension that only looks like ECH (GREASE).
  case greased
  /// The server has decrypted the ClientHello.
  case accepted
  /// The server has decrypted the ClientHello of a second connection, with the keys that it had sent on the first.
  case acceptedOnRetry
  /// The server has proved that it doesn't support ECH: a second connection was made without encryption.
  case refused
  /// The server hasn't decrypted the ClientHello, and so the connection has failed.
  case rejected
}
