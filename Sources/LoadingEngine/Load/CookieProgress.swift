/// What has happened to one hop's `Cookie` field so far.
package struct CookieProgress: Sendable {
  /// Whether responses have set cookies since the field was made.
  package var haveChanged = false
  /// Whether the field is made of stored cookies.
  package var isAttached = false
  /// The app's own field, if stored cookies have taken its place.
  package var appField: String?

  package init() {}

  package var isTouched: Bool { haveChanged || isAttached }
}
