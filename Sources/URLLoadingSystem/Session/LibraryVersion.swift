/// This library's version (semver.org): that of `urlload --version`, of the user agent and of the newest release in CHANGELOG.md.
package enum LibraryVersion {
  package static let current = "0.1.0"
}
