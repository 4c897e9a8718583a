import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import BackgroundDaemon

@Suite(.timeLimit(.minutes(10))) struct ServiceTests {
  @Test func aSecondDaemonOfAFolderDoesNotStart() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let daemon = try ground.makeDaemon()
    #expect(try BackgroundDaemon(places: ground.places) == nil)
    await daemon.stop()
    let next = try #require(try BackgroundDaemon(places: ground.places))
    await next.stop()
  }

  @Test(arguments: [true, false]) func systemdIsToldOfTheState(isAbstract: Bool) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let socket = try NoticeSocket(ground, isAbstract: isAbstract)
    try await ground.serving(environment: ["NOTIFY_SOCKET": socket.name]) { _ in
      #expect(await socket.next() == "READY=1")
    }
    #expect(await socket.next() == "STOPPING=1")
  }

  @Test func theDaemonEndsWhenItIsIdle() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.idleExit = 0.01
    let socket = try NoticeSocket(ground, isAbstract: false)
    let daemon = try ground.makeDaemon(options, environment: ["NOTIFY_SOCKET": socket.name])
    #expect(await socket.next() == "READY=1")
    #expect(await socket.next() == "STOPPING=1")
    await daemon.stop()
  }

  @Test func oldPartsAreRemovedWhileTheDaemonRuns() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    // Looks for what isn't used as often as it can.
    options.sessionLife = 0
    try await ground.serving(options) { _ in
      let tool = try ground.tool()
      _ = try await tool.ask(.status)
      let (old, young) = (ground.places.files.appending(path: "CFNetworkDownload_old.tmp"), "CFNetworkDownload_young.tmp")
      try Data("x".utf8).write(to: ground.places.files.appending(path: young))
      try Data("x".utf8).write(to: old)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)], ofItemAtPath: old.path)
      while FileManager.default.fileExists(atPath: old.path) {
        _ = try await tool.ask(.status)
        try Task.checkCancellation()
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path) == [young])
    }
  }

  @Test func filesThatNoTransferKnowsAreRemoved() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    for name in ["finished-12", "arrived-3-abc", "body-7", "junk"] {
      try Data("x".utf8).write(to: ground.places.files.appending(path: name))
    }
    try Data("x".utf8).write(to: ground.places.files.appending(path: "CFNetworkDownload_young.tmp"))
    let old = ground.places.files.appending(path: "CFNetworkDownload_old.tmp")
    try Data("x".utf8).write(to: old)
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)], ofItemAtPath: old.path)
    try await ground.serving { _ in
      _ = try await ground.app()
      #expect(try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path) == ["CFNetworkDownload_young.tmp"])
    }
  }
}

/// What systemd listens at.
final class NoticeSocket: Sendable {
  let name: String
  private let descriptor: Int32

  init(_ ground: DaemonGround, isAbstract: Bool) throws {
    let path = ground.file("notify").path(percentEncoded: false)
    name = isAbstract ? "@\(path)" : path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = 2 + bytes.count + (isAbstract ? 0 : 1)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    var limit = timeval(tv_sec: HangLimit.seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard result == 0 else { throw TestFailure(text: String(cString: strerror(errno))) }
  }

  deinit { close(descriptor) }

  /// The next state, without the texts for people. Waits on a thread of its own.
  func next() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var text = self.receive()
        while let status = text, status.hasPrefix("STATUS=") { text = self.receive() }
        continuation.resume(returning: text)
      }
    }
  }

  private func receive() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
