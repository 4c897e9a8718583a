/// Why a store keeps nothing on disk. Its description says what to do about it and holds no secrets.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// File or folder in question.
  package let path: String
  package let reason: String

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  package var description: String {
    "can't keep data in \(path): \(reason). It is kept in memory until the process ends; "
      + "make the folder writable, or name another in URL_LOADING_SYSTEM_HOME."
  }
}
