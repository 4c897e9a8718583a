import CLoadingDigests

/// The message digest of RFC 1320. Broken for everything except what NTLM derives from a password with it.
enum MD4 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ULS_MD4_LENGTH) { digest, count in
      // An array has an address for its storage, empty or not, and so has the capacity asked for.
      uls_md4(message, message.count, digest.baseAddress)
      count = ULS_MD4_LENGTH
    }
  }
}
