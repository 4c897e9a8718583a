import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Loads while the machine fails them: no descriptors, a home that can't be written or has vanished. Each in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct MachineFaultTests {
  private static let variables = ProcessInfo.processInfo.environment
  /// What a child loads; nil in the process that runs the tests.
  private static let address = variables["MACHINE_FAULT_ADDRESS"].flatMap { URL(string: $0) }
  private static let isChild = address != nil || SmallDisk.here != nil

  private static func page(_ request: RecordedRequest) -> Reply {
    .fields("page", ["Cache-Control": "max-age=60", "Set-Cookie": "last=\(request.path); Path=/; Max-Age=600"])
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fault-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// Runs the test `name` in a child, with a server and a home.
  private func runChild(_ name: String) async throws { #expect(try await ending(ofChild: name) == .exit(0)) }

  private func ending(ofChild name: String) async throws -> ChildProcess.Ending {
    var ending = ChildProcess.Ending.exit(-1)
    try await withFolder { folder async throws in
      ending = try await TestServer.with { server async throws in
        server.route("/*", .GET) { Self.page($0) }
        let child = try ChildProcess(
          ofThisProgram: "MachineFaultTests/\(name)", in: folder,
          environment: [
            "MACHINE_FAULT_ADDRESS": server.url("/").absoluteString, "URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false),
            "SWIFT_BACKTRACE": "enable=no",
          ])
        return await child.end()
      }
    }
    return ending
  }

  // MARK: descriptors

  @Test(.enabled(if: !isChild)) func loadsWithoutDescriptorsFailAndTheNextOnesGoOn() async throws {
    // Once a second libdispatch opens a file for each of its worker threads, and ends the process (SIGILL) where it can't. A slow machine has a
    // child without descriptors at such a moment.
    var ending = ChildProcess.Ending.signal(SIGILL)
    for _ in 0..<20 where ending == .signal(SIGILL) { ending = try await self.ending(ofChild: "childWithoutDescriptors") }
    #expect(ending == .exit(0))
  }

  @Test(.enabled(if: address != nil, "only in a child process")) func childWithoutDescriptors() async throws {
    let address = try #require(Self.address)
    let other = try #require(URL(string: address.absoluteString.replacing("127.0.0.1", with: "localhost")))
    let session = URLSession(configuration: .default)
    #expect(try await session.text(from: address).0 == "page")
    var taken: [Int32] = []
    while taken.count < 1_000_000 {
      let descriptor = dup(0)
      if descriptor < 0 { break }
      taken.append(descriptor)
    }
    #expect(errno == EMFILE)
    // The connection that is open serves; another can't be opened.
    #expect(try await session.text(from: address.appending(path: "kept")).0 == "page")
    await #expect(throws: URLError.self) { try await session.text(from: other) }
    await #expect(throws: (any Error).self) { try await session.download(from: address.appending(path: "download")) }
    var upload = URLRequest(url: address)
    upload.httpMethod = "PUT"
    await #expect(throws: (any Error).self) { try await session.upload(for: upload, fromFile: URL(filePath: "/etc/hostname")) }
    await #expect(throws: URLError.self) { try await session.data(from: URL(filePath: "/etc/hostname")) }
    let another = URLSession(configuration: .ephemeral)
    let socket = another.webSocketTask(with: other)
    socket.resume()
    await #expect(throws: (any Error).self) { try await socket.receive() }
    for descriptor in taken { close(descriptor) }
    #expect(try await session.text(from: other).0 == "page")
    #expect(try await session.text(from: address.appending(path: "after")).0 == "page")
    _ = try await session.download(from: address.appending(path: "download"))
    for session in [session, another] { session.invalidateAndCancel() }
  }

  // MARK: the home

  @Test(.enabled(if: !isChild)) func loadsGoOnWhenTheHomeHasVanished() async throws {
    try await runChild("childWithoutAHome")
  }

  @Test(.enabled(if: address != nil, "only in a child process")) func childWithoutAHome() async throws {
    let address = try #require(Self.address)
    let home = URL(filePath: try #require(Self.variables["URL_LOADING_SYSTEM_HOME"]), directoryHint: .isDirectory)
    let session = URLSession(configuration: .default)
    func load(_ path: String) async throws { #expect(try await session.text(from: address.appending(path: path)).0 == "page") }
    try await load("before")
    await URLCache.shared.flush()
    try FileManager.default.removeItem(at: home)
    for number in 0..<20 { try await load("\(number)") }
    await URLCache.shared.flush()
    // What comes later has it as well, in memory at least.
    let cookies = HTTPCookieStorage.shared.cookies(for: address) ?? []
    #expect(cookies.map(\.value) == ["/19"])
    let later = URLSession(configuration: .default)
    #expect(try await later.text(from: address.appending(path: "later")).0 == "page")
    for session in [session, later] { session.invalidateAndCancel() }
  }

  @Test(.enabled(if: SmallDisk.isPermitted && !isChild, "processes may not mount a disk of their own here"))
  func loadsGoOnWithAHomeThatCannotBeWritten() async throws {
    try await withFolder { folder async throws in
      let child = try SmallDisk.child(
        running: "MachineFaultTests/childWithAHomeToReadAlone", on: folder, size: 4 << 20,
        environment: ["URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false)])
      #expect(await child.end() == .exit(0))
    }
  }

  @Test(.enabled(if: SmallDisk.here != nil, "only in a child process")) func childWithAHomeToReadAlone() async throws {
    let disk = try #require(SmallDisk.here)
    func remount(_ flags: Int) throws {
      let result = mount("none", disk.folder.path(percentEncoded: false), nil, UInt(Int(MS_REMOUNT) | flags), nil)
      try #require(result == 0)
    }
    try await TestServer.with { server async throws in
      server.route("/*", .GET) { Self.page($0) }
      try remount(Int(MS_RDONLY))
      let session = URLSession(configuration: .default)
      for number in 0..<20 { #expect(try await session.text(from: server.url("/\(number)")).0 == "page") }
      await URLCache.shared.flush()
      try remount(0)
      #expect(try await session.text(from: server.url("/after")).0 == "page")
      session.invalidateAndCancel()
    }
  }
}
