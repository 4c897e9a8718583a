#if TestKit
  import CLoadingQUICServer
  import Foundation
  import HTTPTransport
  import NIOSSL

  extension TestServer {
    /// Keys by which a server decrypts the client hellos of TLS (ECH, RFC 9849), freshly made.
    public final class EncryptedHelloKeys: @unchecked Sendable {
      // @unchecked: `pointer` is BoringSSL's, which changes nothing of it after `init`, and counts its owners safely.

      /// The list of configurations (ECHConfigList) that clients need: for the parameter `ech` of HTTPS records.
      public let list: Data
      fileprivate let pointer: UnsafeMutableRawPointer

      /// - Parameters:
      ///   - publicName: The name that clients show in the clear, for which the server's certificate must be good, too.
      ///   - identifier: The configuration's number.
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

    /// How a server decrypts client hellos.
    public struct EncryptedHello: Sendable {
      /// The keys.
      public var keys: EncryptedHelloKeys
      /// Whether each connection is served by other keys than those before: what a client has been sent is of no use to it. Default: false.
      public var changesKeys = false
      /// The public name of such keys.
      fileprivate let publicName: String

      /// Fresh keys.
      public init(publicName: String) throws {
        keys = try EncryptedHelloKeys(publicName: publicName)
        self.publicName = publicName
      }

      func use(in context: NIOSSLContext) throws {
        guard let pointer = BoringSSLPointer.context(of: context), uls_ech_keys_use(pointer, keys.pointer) != 0 else {
          throw TestServer.Failure.notBound
        }
      }

      /// A connection has been accepted.
      func accepted(in context: NIOSSLContext) throws {
        guard changesKeys else { return }
        var other = self
        other.keys = try EncryptedHelloKeys(publicName: publicName)
        try other.use(in: context)
      }
    }
  }
#endif
