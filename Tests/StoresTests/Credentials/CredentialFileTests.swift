import Crypto
import Foundation
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CredentialFileTests {
  private let folder = TemporaryFolder()
  private var backend: CredentialFile { CredentialFile(folder.location) }

  private func permissions(_ url: URL) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.posixPermissions] as? Int)
  }

  @Test func whatIsKeptIsReadAgain() throws {
    #expect(try backend.read().credentials.isEmpty)
    let kept = try backend.update { $0.keep(.sample("ännchen", "pässword\u{0}", role: .standard)) }
    #expect(try backend.read() == kept)
    #expect(kept.credentials == [.sample("ännchen", "pässword\u{0}", role: .standard)])
    #expect(try backend.update { $0.forgetAll() }.credentials.isEmpty)
    #expect(try backend.read().credentials.isEmpty)
  }

  @Test func readingMakesNoFiles() throws {
    _ = try backend.read()
    #expect(!FileManager.default.fileExists(atPath: folder.location.data.path(percentEncoded: false)))
  }

  @Test func filesAndFoldersAreTheOwnersAlone() throws {
    _ = try backend.update { $0.keep(.sample()) }
    #expect(try permissions(backend.file) == 0o600)
    #expect(try permissions(backend.key) == 0o600)
    #expect(try permissions(backend.file.deletingLastPathComponent()) == 0o700)
    #expect(try permissions(backend.key.deletingLastPathComponent()) == 0o700)
    #expect(backend.file.deletingLastPathComponent() != backend.key.deletingLastPathComponent())
  }

  @Test func fileShowsNoName() throws {
    _ = try backend.update { $0.keep(.sample("ann", "secret", host: "h.test")) }
    let contents = try Data(contentsOf: backend.file)
    for name in ["ann", "secret", "h.test"] { #expect(contents.range(of: Data(name.utf8)) == nil) }
  }

  @Test func fileThatSwiftCryptoSealedIsOpened() throws {
    let kept = try backend.update { $0.keep(.sample("ann", "secret")) }
    let key = SymmetricKey(data: try Data(contentsOf: backend.key))
    let mark = Data("ULSCRED1".utf8)
    let contents = try Data(contentsOf: backend.file)
    let plain = try AES.GCM.open(AES.GCM.SealedBox(combined: contents.dropFirst(mark.count)), using: key, authenticating: mark)
    #expect(try JSONDecoder().decode(CredentialList.self, from: plain) == kept)
    let other = mark + (try #require(try AES.GCM.seal(plain, using: key, authenticating: mark).combined))
    try other.write(to: backend.file)
    #expect(try backend.read() == kept)
  }

  @Test func eachWritingUsesAnotherNonce() throws {
    _ = try backend.update { $0.keep(.sample("ann", "1")) }
    let first = try Data(contentsOf: backend.file)
    _ = try backend.update { $0.keep(.sample("ann", "2")) }
    _ = try backend.update { $0.keep(.sample("ann", "1")) }
    #expect(try Data(contentsOf: backend.file) != first)
  }

  @Test func filesOpenToOthersAreClosed() throws {
    _ = try backend.update { $0.keep(.sample()) }
    for file in [backend.file, backend.key] { chmod(file.path(percentEncoded: false), 0o644) }
    #expect(try backend.read().credentials.count == 1)
    for file in [backend.file, backend.key] { #expect(try permissions(file) == 0o600) }
  }

  @Test func damagedFilesAreMovedAside() throws {
    _ = try backend.update { $0.keep(.sample()) }
    let sound = try Data(contentsOf: backend.file)
    var flipped = sound
    flipped[sound.count / 2] ^= 1
    for damaged in [Data(), sound.dropLast(), flipped, Data("not ours".utf8), sound.prefix(8), Data(sound.reversed())] {
      try damaged.write(to: backend.file)
      #expect(try backend.read().credentials.isEmpty)
      #expect(try backend.update { $0.keep(.sample()) }.credentials.count == 1)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.location.data.path(percentEncoded: false))
    // A limited number of them is kept.
    #expect(names.filter { $0.contains("corrupt") }.sorted() == (1...3).map { "credentials.corrupt-\($0)" })
  }

  @Test(arguments: [nil, Data(), Data(repeating: 1, count: 32), Data(repeating: 1, count: 31)])
  func fileWithoutItsKeyIsMovedAside(key: Data?) throws {
    _ = try backend.update { $0.keep(.sample()) }
    try FileManager.default.removeItem(at: backend.key)
    if let key { try key.write(to: backend.key) }
    #expect(try backend.read().credentials.isEmpty)
    #expect(try backend.update { $0.keep(.sample("bob")) }.credentials.map(\.user) == ["bob"])
    #expect(try backend.read().credentials.map(\.user) == ["bob"])
  }

  @Test func readingWithoutTheKeyMovesNothing() throws {
    _ = try backend.update { $0.keep(.sample()) }
    let elsewhere = backend.key.appendingPathExtension("away")
    try FileManager.default.moveItem(at: backend.key, to: elsewhere)
    #expect(try backend.read().credentials.isEmpty)
    try FileManager.default.moveItem(at: elsewhere, to: backend.key)
    #expect(try backend.read().credentials.count == 1)
  }

  @Test func unreadableKeyLeavesTheFileAlone() throws {
    _ = try backend.update { $0.keep(.sample()) }
    let elsewhere = backend.key.appendingPathExtension("away")
    try FileManager.default.moveItem(at: backend.key, to: elsewhere)
    // A link may lead anywhere: it isn't followed, and not taken for damage.
    try FileManager.default.createSymbolicLink(at: backend.key, withDestinationURL: elsewhere)
    #expect(throws: StoreFailure.self) { try backend.read() }
    #expect(throws: StoreFailure.self) { try backend.update { $0.forgetAll() } }
    try FileManager.default.removeItem(at: backend.key)
    try FileManager.default.moveItem(at: elsewhere, to: backend.key)
    #expect(try backend.read().credentials.count == 1)
  }

  @Test func concurrentWritersLoseNothing() async throws {
    let location = folder.location
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for number in 0..<3 { _ = try CredentialFile(location).update { $0.keep(.sample("\(writer)-\(number)")) } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try backend.read().credentials.count == 24)
  }

  @Test func folderThatCannotBeMadeIsAnError() throws {
    try Data().write(to: folder.url.appending(path: "data"))
    #expect(throws: StoreFailure.self) { try backend.update { $0.keep(.sample()) } }
  }
}
