import Foundation
import LoadingModel
import Testing

@testable import Stores

/// What is in the place of a store's file and isn't a file is refused at once: nothing waits for a pipe, and no link is followed.
@Suite(.timeLimit(.minutes(10))) struct ForeignFileTests {
  enum Kind: CaseIterable, Sendable {
    case pipe
    case link
    case danglingLink
    case folder
  }

  private let folder = TemporaryFolder()
  private var target: URL { folder.url.appending(path: "elsewhere") }

  /// Puts something else in the place of `file`.
  private func place(_ kind: Kind, at file: URL) throws {
    let path = file.path(percentEncoded: false)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: file)
    try? FileManager.default.removeItem(at: target)
    switch kind {
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .folder: #expect(mkdir(path, 0o700) == 0)
    case .danglingLink: #expect(symlink(target.path(percentEncoded: false), path) == 0)
    case .link:
      try Data("mine".utf8).write(to: target)
      #expect(symlink(target.path(percentEncoded: false), path) == 0)
    }
  }

  /// Nothing was made or changed where a link led.
  private func expectUntouched(_ kind: Kind) {
    #expect((try? Data(contentsOf: target)) == (kind == .link ? Data("mine".utf8) : nil))
  }

  @Test(arguments: Kind.allCases, ["", "-wal", "-shm", "-journal", ".lock"]) func databaseIsRefused(_ kind: Kind, _ suffix: String) throws {
    let file = folder.url.appending(path: "store.sqlite")
    try place(kind, at: URL(filePath: file.path(percentEncoded: false) + suffix))
    let database = try StoreDatabase(url: file) { _ in }
    #expect(database.failure?.description.isEmpty == false)
    expectUntouched(kind)
    database.close()
  }

  @Test(arguments: Kind.allCases) func counterIsRefused(_ kind: Kind) throws {
    let file = folder.url.appending(path: "counter")
    try place(kind, at: file)
    #expect(ChangeCounter(url: file).failure != nil)
    expectUntouched(kind)
  }

  @Test(arguments: Kind.allCases) func credentialFilesAreRefused(_ kind: Kind) throws {
    let backend = CredentialFile(folder.location)
    for file in [backend.file, backend.key, backend.file.appendingPathExtension("lock")] {
      _ = try backend.update { $0.keep(.sample()) }
      try place(kind, at: file)
      #expect(throws: StoreFailure.self) { try backend.update { $0.keep(.sample("other")) } }
      expectUntouched(kind)
      try FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(at: backend.file)
    }
  }

  @Test(arguments: Kind.allCases) func bodyIsAMiss(_ kind: Kind) async throws {
    let page = "http://example.test/page"
    CacheSamples.cache(folder).storeAndFlush(CacheSamples.response(page), CacheSamples.body(1, count: 20_000))
    let all = FileManager.default.enumerator(at: folder.url.appending(path: "bodies"), includingPropertiesForKeys: [.isRegularFileKey])
    let files = (all?.allObjects as? [URL] ?? []).filter { $0.lastPathComponent.count == 16 }
    let file = try #require(files.first)
    try place(kind, at: file)
    let cache = CacheSamples.cache(folder)
    let found = try #require(cache.candidatesNow(for: page).first)
    #expect(await cache.openBody(found) == nil)
    #expect(await cache.loadCandidates(for: page).isEmpty)
    expectUntouched(kind)
  }
}
