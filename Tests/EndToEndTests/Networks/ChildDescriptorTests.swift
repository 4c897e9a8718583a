import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What programs inherit that an app starts while its connections are open.
@Suite(.timeLimit(.minutes(10))) struct ChildDescriptorTests {
  private static let folderVariable = "DESCRIPTOR_FOLDER"
  private static let serverVariable = "DESCRIPTOR_SERVERS"
  private static let findings = "findings"

  /// A process of its own: the servers of tests have sockets too, and other tests run beside this one.
  @Test func programThatIsStartedInheritsNoDescriptor() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "descriptors-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rest = Gate()
    try await TestServer.with { plain in
      try await TestServer.with(.http2(TestCertificate.selfSigned())) { secure in
        for server in [plain, secure] {
          server.route("/kept", reply: .fields("kept", ["Cache-Control": "max-age=600", "Set-Cookie": "a=b; Max-Age=600"]))
          server.route("/slow", reply: Reply(body: .pattern(count: 100_000), faults: [.stallAfter(bodyBytes: 50_000, gate: rest)]))
        }
        let child = try ChildProcess(
          ofThisProgram: "childListsWhatItsProgramsInherit", in: folder,
          environment: [
            Self.folderVariable: folder.path(percentEncoded: false), "URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false),
            Self.serverVariable: "\(plain.url("/").absoluteString) \(secure.url("/").absoluteString)",
          ])
        let ending = await child.end()
        let findings = try? String(contentsOf: folder.appending(path: Self.findings, directoryHint: .notDirectory), encoding: .utf8)
        #expect(ending == .exit(0) && findings == "", "\(findings ?? "the child wrote nothing")")
        rest.open()
      }
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment[folderVariable] != nil, "only in a child process"))
  func childListsWhatItsProgramsInherit() async throws {
    let environment = ProcessInfo.processInfo.environment
    let folder = URL(filePath: try #require(environment[Self.folderVariable]), directoryHint: .isDirectory)
    let servers = try #require(environment[Self.serverVariable]).split(separator: " ").compactMap { URL(string: String($0)) }
    let before = Self.descriptors(of: try await Self.listing(nil, in: folder))
    let own = Self.own()
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, directory: folder.appending(path: "cache"))
    let session = URLSession(configuration: configuration, delegate: ChallengeDelegate.accepting, delegateQueue: nil)
    var readers: [URLSession.AsyncBytes.Iterator] = []
    for server in servers {
      _ = try await session.data(from: server.appending(path: "kept"))
      // The response is there, and its body isn't.
      var reader = try await session.bytes(from: server.appending(path: "slow")).0.makeAsyncIterator()
      _ = try await reader.next()
      readers.append(reader)
    }
    let opened = Self.own().subtracting(own)
    let inherited = Self.descriptors(of: try await Self.listing("after", in: folder)).subtracting(before)
    // There must be something to inherit: sockets, a loop's epoll descriptor, databases.
    for kind in ["socket:", "eventpoll", ".sqlite"] where !opened.contains(where: { $0.contains(kind) }) {
      Issue.record("no \(kind) among \(opened)")
    }
    #expect(inherited.isEmpty)
    try Data(inherited.sorted().joined(separator: "\n").utf8).write(
      to: folder.appending(path: Self.findings, directoryHint: .notDirectory))
    session.invalidateAndCancel()
  }

  /// What `ls` prints of its own descriptors.
  private static func listing(_ name: String?, in folder: URL) async throws -> String {
    let file = folder.appending(path: name ?? "before", directoryHint: .notDirectory)
    try Data().write(to: file)
    let child = try ChildProcess("ls", ["-l", "/proc/self/fd"], in: folder, output: .file(file))
    #expect(await child.end() == .exit(0))
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// "number -> target" of each line, above standard error. The last one is that of the folder which is listed.
  private static func descriptors(of listing: String) -> Set<String> {
    let entries = listing.split(separator: "\n").compactMap { line -> String? in
      guard let arrow = line.range(of: " -> "), let number = line[..<arrow.lowerBound].split(separator: " ").last.flatMap({ Int($0) })
      else { return nil }
      let target = line[arrow.upperBound...]
      return number > 2 && !target.hasPrefix("/proc/") ? "\(number) -> \(target)" : nil
    }
    return Set(entries)
  }

  /// The same of this process.
  private static func own() -> Set<String> {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
      names.compactMap { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")).map { "\(name) -> \($0)" }
      })
  }
}
