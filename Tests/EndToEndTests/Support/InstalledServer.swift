import ChildProcesses
import Foundation
import Testing

/// A server program that happens to be installed, run for one test with files of its own on a free port of the loopback interface.
final class InstalledServer {
  let port: Int
  private let process: ChildProcess
  let folder: URL

  /// Folders of programs that need not be in every user's `PATH`.
  private static let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin"]

  /// The path of a program; nil if it isn't installed.
  static func find(_ name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts `program`; returns once it accepts connections: once it has written the file `pid`, as servers do after they have their
  /// sockets.
  ///
  /// - Parameters:
  ///   - arguments: `CONFIG` is replaced by the path of the configuration, `PORT` by the port.
  ///   - files: Further files by name, in the folder whose path replaces `FOLDER` in the configuration, as the port replaces `PORT`.
  init(_ program: String, _ arguments: [String], configuration: String, files: [String: String]) async throws {
    let port = try ClosedPort.forProgram()
    let folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)")
    (self.port, self.folder) = (port, folder)
    // The server may give up its rights before it reads them.
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    for (name, content) in files.merging(["server.conf": configuration], uniquingKeysWith: { $1 }) {
      // As bytes: a search in a string of megabytes takes seconds.
      var bytes = Data(content.utf8)
      for (mark, value) in ["FOLDER": folder.path, "PORT": "\(port)"] {
        while let range = bytes.range(of: Data(mark.utf8)) { bytes.replaceSubrange(range, with: value.utf8) }
      }
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    let arrival = try FileArrival("pid", in: folder)
    let configurationPath = folder.appending(path: "server.conf").path
    process = try ChildProcess(
      program, arguments.map { $0.replacing("CONFIG", with: configurationPath).replacing("PORT", with: "\(port)") }, in: folder)
    guard await arrival.wait() else {
      stop()
      throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: "the server didn't start"])
    }
  }

  private static let modules = "/usr/lib/apache2/modules"

  /// Whether Apache is installed with this module.
  static func hasApache(with module: String) -> Bool {
    find("apache2") != nil && FileManager.default.fileExists(atPath: "\(modules)/mod_\(module).so")
  }

  /// Apache with these modules besides those that every configuration here needs, serving `FOLDER/root`.
  static func apache(_ modules: [String], _ configuration: String, files: [String: String]) async throws -> InstalledServer {
    let standard = """
      ServerRoot FOLDER
      ServerName 127.0.0.1
      Listen 127.0.0.1:PORT
      PidFile FOLDER/pid
      DefaultRuntimeDir FOLDER
      ErrorLog FOLDER/error.log
      KeepAliveTimeout 60
      \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
      DocumentRoot FOLDER/root
      """
    let loading = (["mpm_event", "authn_core", "authz_core"] + modules)
      .map { "LoadModule \($0)_module \(InstalledServer.modules)/mod_\($0).so" }
    return try await InstalledServer(
      #require(find("apache2")), ["-f", "CONFIG", "-DFOREGROUND"],
      configuration: ([standard] + loading + [configuration]).joined(separator: "\n"), files: files)
  }

  /// nginx with one server, of which this is the configuration, serving `FOLDER/root`.
  static func nginx(_ configuration: String, files: [String: String]) async throws -> InstalledServer {
    let standard = """
      daemon off; master_process off; pid FOLDER/pid; error_log FOLDER/error.log;
      events {}
      http {
        access_log off;
        client_body_temp_path FOLDER/1; proxy_temp_path FOLDER/2; fastcgi_temp_path FOLDER/3; uwsgi_temp_path FOLDER/4; scgi_temp_path FOLDER/5;
        server {
          root FOLDER/root;
          \(configuration)
        }
      }
      """
    return try await InstalledServer(
      #require(find("nginx")), ["-c", "CONFIG", "-e", "stderr"], configuration: standard, files: files)
  }

  func url(_ path: String, user: String? = nil, _ wire: Wire = .plain) throws -> URL {
    try #require(URL(string: "\(wire == .plain ? "http" : "https")://\(user.map { $0 + "@" } ?? "")127.0.0.1:\(port)\(path)"))
  }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
