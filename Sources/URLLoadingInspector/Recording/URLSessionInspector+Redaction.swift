#if Inspector
  import Foundation

  extension URLSessionInspector {
    /// The rules by which secrets are removed from recordings before anything is stored.
    ///
    /// By default these are removed: the values of `Authorization`, `Cookie`, `Set-Cookie`, and of all header fields, query parameters and keys of
    /// JSON, forms and XML with the names of secrets (`password`, `token`, `api_key`, …), user names and passwords in URLs, and private keys.
    public struct Redaction: Sendable {
      /// Whether secrets are removed. Default: true.
      public var isOn = true
      /// Additional names of header fields, query parameters and keys whose values are secrets. Names are compared without regard to case, `-` and
      /// `_`.
      public var names: Set<String> = []
      /// Changes a body's text after the other rules, for example to remove secrets that have no name. Gets the body's media type and text, and
      /// returns the text to record. Called on an event loop. Default: nil.
      public var body: (@Sendable (_ mediaType: String, _ text: String) -> String)?

      /// The default rules.
      public init() {}

      /// Removes nothing: everything is recorded unchanged, including credentials.
      public static var none: Redaction {
        var redaction = Redaction()
        redaction.isOn = false
        return redaction
      }
    }
  }
#endif
