import Foundation

/// Finds an executable in a list of folders, as execvp(3) does.
package enum ExecutableSearch {
  /// - Parameter folders: The folders to search for a name without a slash, separated by colons as in `PATH`; nil for the usual ones.
  /// - Throws: `notFound` or `notExecutable`.
  package static func path(_ program: String, in folders: String?) throws(CommandFailure) -> String {
    let folders = folders ?? "/usr/local/bin:/bin:/usr/bin"
    guard !program.isEmpty else { throw .notFound(program) }
    let candidates =
      program.contains("/")
      ? [program] : folders.split(separator: ":", omittingEmptySubsequences: false).map { ($0.isEmpty ? "." : String($0)) + "/" + program }
    if let found = candidates.first(where: { isFile($0) && access($0, X_OK) == 0 }) { return found }
    throw candidates.contains { access($0, F_OK) == 0 } ? .notExecutable(program) : .notFound(program)
  }

  private static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }
}
