#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a resolver answered instead of addresses.
struct ResolutionError: Error {
  let host: String
  /// Of `getaddrinfo`.
  let code: Int32
  static func absent(_ host: String) -> ResolutionError { ResolutionError(host: host, code: EAI_NONAME) }
  var text: String { String(cString: gai_strerror(code)) }

  /// Whether a later look-up may do better: no name server has answered, or it couldn't.
  var isTemporary: Bool { code == EAI_AGAIN || code == EAI_FAIL }
}
