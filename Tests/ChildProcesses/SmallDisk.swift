import Foundation

/// A disk of a few megabytes that a child process has for itself, to be filled up: a tmpfs in a mount namespace of the child's own.
///
/// It ends with the child. Needs the right to mount: root's, or that of user namespaces.
package struct SmallDisk: Sendable {
  private static let folderVariable = "SMALL_DISK_FOLDER"
  private static let ballastPiece = 4096

  package let folder: URL
  private var ballast: String { folder.appending(path: "ballast", directoryHint: .notDirectory).path(percentEncoded: false) }

  /// The one this process was started with; nil in all others.
  package static let here: SmallDisk? = ProcessInfo.processInfo.environment[folderVariable].map {
    SmallDisk(folder: URL(filePath: $0, directoryHint: .isDirectory))
  }

  /// Whether processes may have one.
  package static let isPermitted: Bool = {
    let folder = FileManager.default.temporaryDirectory
    guard let child = try? start("test", ["-x", TestProgram.path], on: folder, size: 65_536, environment: [:]) else { return false }
    return child.wait() == 0
  }()

  /// This very test program once more, to run the one test `name` with a disk of `size` bytes, which hides what `folder` has.
  package static func child(running name: String, on folder: URL, size: Int, environment: [String: String] = [:]) throws -> ChildProcess {
    try start(
      TestProgram.path, TestProgram.arguments(test: name), on: folder, size: size,
      environment: environment.merging([folderVariable: folder.path(percentEncoded: false)]) { $1 })
  }

  private static func start(
    _ program: String, _ arguments: [String], on folder: URL, size: Int, environment: [String: String]
  ) throws -> ChildProcess {
    let namespaces = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
    let script = "mount -t tmpfs -o size=\(size),mode=0700 small-disk \"$1\" && shift && exec \"$@\""
    let words = namespaces + ["sh", "-c", script, "sh", folder.path(percentEncoded: false), program] + arguments
    return try ChildProcess("unshare", words, in: URL(filePath: "/"), environment: environment)
  }

  /// Takes all the room that is left.
  /// - Throws: If the disk isn't full after all.
  package func fill() throws {
    let descriptor = open(ballast, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
    defer { close(descriptor) }
    let piece = [UInt8](repeating: 0, count: SmallDisk.ballastPiece)
    // Far more than such a disk holds.
    for _ in 0..<100_000 where write(descriptor, piece, piece.count) < 0 {
      let code = errno
      guard code != ENOSPC else { return }
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    }
    throw NSError(domain: NSPOSIXErrorDomain, code: Int(EFBIG))
  }

  /// Gives back what `fill` has taken.
  package func makeRoom() { unlink(ballast) }
}
