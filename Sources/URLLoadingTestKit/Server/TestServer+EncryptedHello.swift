#if TestKit
  import CLoadingQUICServer
  import Foundation
  import HTTPTransport
  import NIOSSL

  extension TestServer {
    /// Freshly generated keys with which a server decrypts ClientHellos (Encrypted Client Hello, RFC 9849).
    public final class EncryptedHelloKeys: @unchecked Sendable {
      // `@unchecked`: BoringSSL doesn't change the object behind `pointer` after `init`, and its reference count is thread-safe.

      /// The ECHConfigList, which clients need to encrypt: the value of the parameter `ech` in HTTPS records.
      public let list: Data
      fileprivate let pointer: UnsafeMutableRawPointer

      /// Generates a key pair.
      ///
      /// - Parameters:
      ///   - publicName: The name that clients send unencrypted. The server's certificate has to be valid for it too.
      ///   - identifier: The configuration's identifier.
      public init(publicName: String, identifier: UInt8 = 1) throws {
        guard let pointer = uls_ech_keys_new(identifier, publicName) else { throw CocoaError(.fileReadCorruptFile) }
        self.pointer = pointer
        let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
          count = uls_ech_keys_list(pointer, buffer.baseAddress, buffer.count)
        }
        list = Data(bytes)
      }

      deinit { uls_ech_keys_free(pointer) }
    }

    /// How a server decrypts ClientHellos.
    public struct EncryptedHello: Sendable {
      /// The keys of the server.
      public var keys: EncryptedHelloKeys
      /// Whether each connection is served with newly generated keys, so that the configuration that a client has is always outdated. Default: false.
      public var changesKeys = false
      /// The public name of newly generated keys.
      fileprivate let publicName: String

      /// Generates keys with this public name; clients send it unencrypted.
      public init(publicName: String) throws {
        keys = try EncryptedHelloKeys(publicName: publicName)
        self.publicName = publicName
      }

      func use(in context: NIOSSLContext) throws {
        guard let pointer = BoringSSLPointer.context(of: context), uls_ech_keys_use(pointer, keys.pointer) != 0 else {
          throw TestServer.Failure.notBound
        }
      }

      /// Called for each accepted connection: replaces the keys in `context` if `changesKeys` is set.
      func accepted(in context: NIOSSLContext) throws {
        guard changesKeys else { return }
        var other = self
        other.keys = try EncryptedHelloKeys(publicName: publicName)
        try other.use(in: context)
      }
    }
  }
#endif
