import ChildProcesses
import Foundation
import Testing

/// Loads in networks of their own. Each scenario runs in a process that has a network namespace to itself.
@Suite(.timeLimit(.minutes(10))) struct NetworkNamespaceTests {
  @Test(.timeLimit(.minutes(20)), .enabled(if: NetworkScenario.here != nil, "only in a child process"))
  func childGoesThroughAScenario() async throws {
    try await #require(NetworkScenario.here).run(#require(PrivateNetwork.here))
    #expect(FileManager.default.createFile(atPath: NetworkNamespaceTests.done, contents: nil))
  }

  @Test(
    .timeLimit(.minutes(20)),
    .enabled(if: NetworkScenario.here == nil && PrivateNetwork.isPermitted, "needs iproute2 and the right to make network namespaces"),
    arguments: NetworkScenario.allCases.filter { $0 != .meteredDeviceIsRefusedAndToldByMetrics && (Wire.hasHTTP3 || !$0.wantsHTTP3) })
  func inANetworkOfItsOwn(_ scenario: NetworkScenario) async throws { try await run(scenario) }

  @Test(
    .timeLimit(.minutes(20)),
    .enabled(
      if: NetworkScenario.here == nil && PrivateNetwork.isPermitted && MeteredBus.isInstalled,
      "needs dbus-daemon and python-dbusmock besides"))
  func networkManagerTellsWhatIsMetered() async throws { try await run(.meteredDeviceIsRefusedAndToldByMetrics) }

  private static let done = "done"

  private func run(_ scenario: NetworkScenario) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "net-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let child = try PrivateNetwork.child(
      running: "childGoesThroughAScenario", in: folder, files: scenario.files,
      environment: [
        NetworkScenario.variable: scenario.rawValue, MeteredBus.variable: MeteredBus.address(in: folder),
        "URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false),
      ], output: .file(output))
    let ending = await child.end()
    child.kill()
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    let isDone = FileManager.default.fileExists(atPath: folder.appending(path: NetworkNamespaceTests.done).path(percentEncoded: false))
    #expect(ending == .exit(0) && isDone, "\(text.suffix(2000))")
  }
}
