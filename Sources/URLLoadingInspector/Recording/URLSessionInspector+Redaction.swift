#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// What is taken out of recordings before anything is stored.
    ///
    /// By default: the values of `Authorization`, `Cookie`, `Set-Cookie` and of all fields, query parameters and keys of JSON, forms and XML
    /// whose names are those of secrets (`password`, `token`, `api_key`, …), user names and passwords in URLs, and private keys.
    public struct Redaction: Sendable {
      /// Whether anything is taken out. Default: true.
      public var isOn = true
      /// Names of header fields, query parameters and keys whose values are secrets, beside those that are known. Compared without case, `-`
      /// and `_`.
      public var names: Set<String> = []
      /// Changes what is left of a body, such as to take out what has no name: given its media type and its text. Called on an event loop.
      /// Default: nil.
      public var body: (@Sendable (_ mediaType: String, _ text: String) -> String)?

      /// The default rules.
      public init() {}

      /// Records everything as it is: credentials too.
      public static var none: Redaction {
        var redaction = Redaction()
        redaction.isOn = false
        return redaction
      }
    }
  }
#endif
