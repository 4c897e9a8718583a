/// What the stages have done with the `Cookie` field of the current request (until the next redirect).
package struct CookieProgress: Sendable {
  /// Whether responses have set cookies since the field was made.
  package var haveChanged = false
  /// Whether the field was made from stored cookies.
  package var isAttached = false
  /// The app's own value of the field, if stored cookies have replaced it; nil otherwise.
  package var appField: String?

  package init() {}

  package var isTouched: Bool { haveChanged || isAttached }
}
