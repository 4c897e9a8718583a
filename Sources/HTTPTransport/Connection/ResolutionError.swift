#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A name look-up's failure.
package struct ResolutionError: Error {
  let host: String
  /// The error code of getaddrinfo(3), such as EAI_NONAME.
  let code: Int32
  /// The text for the user, from resolvers other than the system's; nil where `gai_strerror` has to say it.
  var message: String?

  /// The error for a name that doesn't exist.
  package static func absent(_ host: String, _ message: String? = nil) -> ResolutionError {
    ResolutionError(host: host, code: EAI_NONAME, message: message)
  }

  /// The error for a look-up without an answer: the name may exist.
  package static func unanswered(_ host: String, _ message: String) -> ResolutionError {
    ResolutionError(host: host, code: EAI_AGAIN, message: message)
  }

  var text: String { String(cString: gai_strerror(code)) }

  /// Whether a later look-up may succeed: no name server has answered, or the one that did had failed.
  package var isTemporary: Bool { code == EAI_AGAIN || code == EAI_FAIL }
}
