/// This library's version (semver.org), as in `urlload --version`, the user agent and the newest release in CHANGELOG.md.
package enum LibraryVersion {
  package static let current = "0.1.0"
}
