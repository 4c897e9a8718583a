import Foundation

/// Finds a program as execvp(3) does.
enum ExecutableSearch {
  static func path(_ program: String) throws(CommandFailure) -> String {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/bin:/usr/bin"
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
