import Foundation
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct StoreLocationTests {
  private let home = URL(filePath: "/home/ada", directoryHint: .isDirectory)

  @Test func followsTheBaseDirectorySpecification() {
    let plain = StoreLocation(environment: [:], home: home, app: "notes")
    #expect(plain.data.path() == "/home/ada/.local/share/notes/")
    #expect(plain.caches.path() == "/home/ada/.cache/notes/")
    let set = StoreLocation(environment: ["XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "relative"], home: home, app: "notes")
    #expect(set.data.path() == "/d/notes/")
    #expect(set.caches.path() == "/home/ada/.cache/notes/")
    let elsewhere = StoreLocation(environment: ["HOME": "/srv/ada"], home: home, app: "notes")
    #expect(elsewhere.caches.path() == "/srv/ada/.cache/notes/")
  }

  @Test func oneVariableMovesBoth() {
    let moved = StoreLocation(environment: ["URL_LOADING_SYSTEM_HOME": "/tmp/x", "XDG_DATA_HOME": "/d"], home: home, app: "notes")
    #expect(moved.data.path() == "/tmp/x/data/")
    #expect(moved.caches.path() == "/tmp/x/caches/")
  }
}
