#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What a resolver answered instead of addresses.
package struct ResolutionError: Error {
  let host: String
  /// Of `getaddrinfo`.
  let code: Int32
  /// What was wrong and what to do, where that isn't for the system's resolver to say.
  var message: String?

  /// There is no such name.
  package static func absent(_ host: String, _ message: String? = nil) -> ResolutionError {
    ResolutionError(host: host, code: EAI_NONAME, message: message)
  }

  /// There is no answer, whether or not there is such a name.
  package static func unanswered(_ host: String, _ message: String) -> ResolutionError {
    ResolutionError(host: host, code: EAI_AGAIN, message: message)
  }

  var text: String { String(cString: gai_strerror(code)) }

  /// Whether a later look-up may do better: no name server has answered, or it couldn't.
  package var isTemporary: Bool { code == EAI_AGAIN || code == EAI_FAIL }
}
