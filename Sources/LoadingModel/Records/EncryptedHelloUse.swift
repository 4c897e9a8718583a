/// What has become of the encryption of a connection's ClientHello (RFC 9849).
package enum EncryptedHelloUse: String, Codable, Sendable, Hashable, CaseIterable {
  /// Nothing was offered.
  case unused
  /// No keys were known: what was sent looks as if it was encrypted (GREASE).
  case greased
  /// The server has decrypted it.
  case accepted
  /// The server has decrypted it on a second connection, by keys that it had sent on the first.
  case acceptedOnRetry
  /// The server hasn't decrypted it, and has proved that it decrypts none: a second connection was made without encryption.
  case refused
  /// The server hasn't decrypted it: the connection has failed.
  case rejected
}
