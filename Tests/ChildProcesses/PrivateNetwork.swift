import Foundation

/// Network interfaces, addresses and routes that a child process has for itself: a network namespace, in which there is nothing but
/// loopback until the child makes it.
///
/// It ends with the child. Needs the right to make one: root's, or that of user namespaces; and `ip` of iproute2.
package struct PrivateNetwork: Sendable {
  private static let variable = "PRIVATE_NETWORK"

  /// The one this process was started with; nil in all others.
  package static let here: PrivateNetwork? = ProcessInfo.processInfo.environment[variable] == nil ? nil : PrivateNetwork()

  /// Whether processes may have one.
  package static let isPermitted: Bool = {
    let folder = FileManager.default.temporaryDirectory
    let words = ["ip", "link", "add", "one0", "type", "veth", "peer", "name", "two0"]
    guard let child = try? ChildProcess("unshare", namespaces + words, in: folder) else { return false }
    return child.wait() == 0
  }()

  private static var namespaces: [String] { (geteuid() == 0 ? [] : ["--user", "--map-root-user"]) + ["--net", "--mount"] }

  /// This very test program once more, to run the one test `name` in a network of its own.
  ///
  /// - Parameters:
  ///   - files: What the child finds in the place of these files of the system, by their paths: `/etc/hosts` and the like.
  ///   - output: What the program prints, errors as well, goes there.
  package static func child(
    running name: String, in folder: URL, files: [String: String] = [:], environment: [String: String] = [:],
    output: ChildProcess.StandardStream = .nothing
  ) throws -> ChildProcess {
    var script = "mount -t sysfs sysfs /sys; ip link set lo up"
    for (index, (path, content)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
      let file = folder.appending(path: "system-file-\(index)", directoryHint: .notDirectory)
      try Data(content.utf8).write(to: file)
      script += " && mount --bind '\(file.path(percentEncoded: false))' '\(path)'"
    }
    let words = namespaces + ["sh", "-c", script + " && exec \"$@\" 2>&1", "sh", TestProgram.path]
    return try ChildProcess(
      "unshare", words + TestProgram.arguments(test: name), in: folder,
      environment: environment.merging([variable: "1"]) { $1 }, output: output)
  }

  /// Two interfaces, joined by a cable: what is sent into one comes out of the other. Both are up.
  package func addCable(_ one: String, _ other: String) throws {
    try ip("link", "add", one, "type", "veth", "peer", "name", other)
    try ip("link", "set", one, "up")
    try ip("link", "set", other, "up")
  }

  /// Runs `ip` with these words (ip(8)).
  package func ip(_ words: String...) throws {
    let child = try ChildProcess("ip", words, in: URL(filePath: "/"))
    guard child.wait() == 0 else {
      throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "ip \(words.joined(separator: " ")) failed"])
    }
  }
}
