import ChildProcesses
import Foundation
import Testing

/// A program that has more rights than the one that starts it (AT_SECURE): what that one's environment says doesn't count.
@Suite(.timeLimit(.minutes(10))) struct PrivilegedProgramTests {
  private static let isRoot = geteuid() == 0
  private static let otherUser: uid_t = 65_534

  /// Runs the program with an environment that would mislead it.
  /// - Returns: Its words, by what they are about; nil if the system has given the program no other rights.
  private func run(_ isPrivileged: Bool) async throws -> [String: String] {
    // Where everyone may run it.
    let folder = URL(filePath: "/var/tmp/privileged-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "program").path(percentEncoded: false)
    let copy = try ChildProcess("cp", [TestProgram.product("BackgroundApp"), program], in: folder)
    try #require(await copy.end() == .exit(0))
    if isPrivileged { try #require(chown(program, Self.otherUser, gid_t.max) == 0 && chmod(program, 0o4755) == 0) }
    let daemon = folder.appending(path: "urlsessiond")
    try Data("#!/bin/sh\n".utf8).write(to: daemon)
    try #require(chmod(daemon.path, 0o755) == 0)
    // As if its caller had made it, and a link to the program there.
    if isPrivileged { try #require(chown(folder.path, Self.otherUser, gid_t.max) == 0) }
    let misleading = [
      "URLSESSIOND_PATH": daemon.path, "SSL_CERT_FILE": "/misleading/file", "SSL_CERT_DIR": "/misleading/folder",
      "SSLKEYLOGFILE": "/misleading/log", "URL_LOADING_SYSTEM_ATS": "on", "URL_LOADING_SYSTEM_HOME": "/misleading/home",
      "XDG_DATA_HOME": "/misleading/data", "HOME": "/misleading/home", "http_proxy": "http://misleading.example:1",
      "PATH": "\(folder.path):/usr/bin:/bin", "URLSESSION_LAUNCH_IDENTIFIER": "misleading",
    ]
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let child = try ChildProcess(program, ["--surroundings"], in: folder, environment: misleading, output: .file(output))
    try #require(await child.end() == .exit(0))
    let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let name = line.hasPrefix("transport security") ? "transport security" : String(line.prefix { $0 != " " })
        return (name, line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces))
      })
  }

  @Test(.enabled(if: isRoot && !Sanitizer.isActive, "a program is given another owner; a sanitizer's can't be privileged"))
  func environmentOfTheCallerDoesntCountToAPrivilegedProgram() async throws {
    let told = try await run(true)
    // A file system may be mounted without such rights.
    guard told["privileged"] == "true" else { return }
    #expect(told["variables"] == "0" && told["launched"] == "no")
    // Beside it lies one that its caller could have put there.
    #expect(told["daemon"]?.hasPrefix("/var/tmp") == false)
    #expect(told["trust"] == "none" && told["log"] == "none" && told["transport security"] == "off" && told["proxies"] == "0")
    #expect(told.values.allSatisfy { !$0.contains("misleading") }, "\(told)")
  }

  @Test func environmentCountsToEveryOtherProgram() async throws {
    let told = try await run(false)
    #expect(told["privileged"] == "false" && told["launched"] == "misleading" && told["transport security"] == "on")
    #expect(told["daemon"]?.hasSuffix("/urlsessiond") == true && told["daemon"]?.hasPrefix("/var/tmp/privileged-") == true)
    #expect(told["trust"] == "/misleading/file /misleading/folder" && told["log"] == "/misleading/log" && told["proxies"] != "0")
    #expect(told["data"] == "/misleading/home/data/" && told["settings"] == "/misleading/home/settings/")
  }
}
