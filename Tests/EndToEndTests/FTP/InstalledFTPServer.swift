import Foundation
import Testing
import URLLoadingTestKit

/// An FTP server of another project, run for one test. Its only user is "ftp", whose password is "secret".
struct InstalledFTPServer {
  enum Program: CaseIterable, Sendable, CustomTestStringConvertible {
    case pyftpdlib, vsftpd

    var testDescription: String { "\(self)" }
  }

  /// What the server insists on.
  enum Security: CaseIterable, Sendable, CustomTestStringConvertible {
    case none, explicit, implicit

    var testDescription: String { "\(self)" }
  }

  static let modules = "/usr/lib/python3/dist-packages"
  static let python = "/usr/bin/python3"
  private static let vsftpd = InstalledServer.find("vsftpd")

  /// The programs that are installed.
  static let programs: [Program] = Program.allCases.filter { program in
    guard FileManager.default.isExecutableFile(atPath: python) else { return false }
    return switch program {
    case .pyftpdlib: ["pyftpdlib", "OpenSSL"].allSatisfy { FileManager.default.fileExists(atPath: "\(modules)/\($0)") }
    case .vsftpd: vsftpd != nil
    }
  }

  private let server: InstalledServer
  private let security: Security
  private let host: String

  /// - Parameters:
  ///   - refused: Commands that the server is not to know.
  static func with(
    _ program: Program, _ security: Security = .none, host: String = "127.0.0.1", refusing refused: [String] = [],
    certificate: TestCertificate? = nil, _ body: (InstalledFTPServer) async throws -> Void
  ) async throws {
    var files = ["root/dir/a.txt": "content a", "root/dir/é.txt": "content é", "emails": "secret\n", "empty/x": ""]
    files["cert.pem"] = certificate.map { String(decoding: $0.privateKeyPEM + Data("\n".utf8) + $0.chainPEM, as: UTF8.self) } ?? ""
    if program == .vsftpd { files["vsftpd.conf"] = configuration(security, refused) }
    let script = program == .vsftpd ? superServer : pyftpdlib(security, refused)
    let server = try await InstalledServer(
      python, ["CONFIG"], configuration: script.replacing("HOST", with: host), files: files)
    defer { server.stop() }
    try await body(InstalledFTPServer(server: server, security: security, host: host))
  }

  /// - Parameter user: With its password, as URLs have it; nil for none.
  func url(_ path: String, user: String? = "ftp:secret") throws -> URL {
    let place = host.contains(":") ? "[\(host)]" : host
    return try #require(
      URL(string: "\(security == .implicit ? "ftps" : "ftp")://\(user.map { $0 + "@" } ?? "")\(place):\(server.port)\(path)"))
  }

  var port: Int { server.port }

  /// Where a file of the server's lies.
  func file(_ name: String) -> URL { server.folder.appending(path: "root/\(name)", directoryHint: .notDirectory) }

  /// Makes a file of `size` zeroes that takes no room.
  func makeSparseFile(_ name: String, size: UInt64) throws {
    try Data().write(to: file(name))
    let handle = try FileHandle(forWritingTo: file(name))
    try handle.truncate(atOffset: size)
    try handle.close()
    try age(name)
  }

  /// Makes a file an hour old.
  func age(_ name: String) throws {
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: file(name).path)
  }

  private static func pyftpdlib(_ security: Security, _ refused: [String]) -> String {
    """
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler, TLS_FTPHandler
    from pyftpdlib.servers import FTPServer
    authorizer = DummyAuthorizer()
    authorizer.add_user("ftp", "secret", "FOLDER/root", perm="elradfmwMT")
    class Implicit(TLS_FTPHandler):
      def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if self.connected: self.secure_connection(self.ssl_context)
    handler = \(["FTPHandler", "TLS_FTPHandler", "Implicit"][security == .none ? 0 : security == .explicit ? 1 : 2])
    handler.authorizer = authorizer
    handler.auth_failed_timeout = 0
    handler.proto_cmds = {name: what for name, what in handler.proto_cmds.items() if name not in \(refused)}
    if handler is not FTPHandler:
      handler.certfile = "FOLDER/cert.pem"
      handler.tls_control_required = True
      handler.tls_data_required = True
    server = FTPServer(("HOST", PORT), handler)
    open("FOLDER/pid", "w").close()
    server.serve_forever()
    """
  }

  /// vsftpd serves one connection that it is given. This way no test has to wait for it, and it needs no rights.
  private static let superServer = """
    import os, socket
    listener = socket.create_server(("HOST", PORT), family=socket.AF_INET6 if ":" in "HOST" else socket.AF_INET)
    open("FOLDER/pid", "w").close()
    while True:
      connection, _ = listener.accept()
      if os.fork() == 0:
        for descriptor in 0, 1, 2: os.dup2(connection.fileno(), descriptor)
        os.execv("\(vsftpd ?? "")", ["vsftpd", "FOLDER/vsftpd.conf"])
      connection.close()
    """

  /// Its users are the system's; without rights to those, it has anonymous users with a password.
  private static func configuration(_ security: Security, _ refused: [String]) -> String {
    """
    listen=NO
    listen_ipv6=NO
    run_as_launching_user=YES
    seccomp_sandbox=NO
    xferlog_enable=NO
    delay_failed_login=0
    local_enable=NO
    anonymous_enable=YES
    ftp_username=\(NSUserName())
    anon_root=FOLDER/root
    secure_email_list_enable=YES
    email_password_file=FOLDER/emails
    secure_chroot_dir=FOLDER/empty
    write_enable=YES
    anon_upload_enable=YES
    anon_other_write_enable=YES
    anon_world_readable_only=NO
    anon_umask=022
    \(refused.isEmpty ? "" : "cmds_denied=\(refused.joined(separator: ","))")
    ssl_enable=\(security == .none ? "NO" : "YES")
    implicit_ssl=\(security == .implicit ? "YES" : "NO")
    allow_anon_ssl=YES
    force_anon_data_ssl=YES
    force_anon_logins_ssl=YES
    require_ssl_reuse=YES
    rsa_cert_file=FOLDER/cert.pem

    """
  }
}
