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

  @Test func foldersOfAServiceTakePrecedence() {
    let environment = [
      "STATE_DIRECTORY": "/var/lib/mail:/var/lib/other", "CACHE_DIRECTORY": "/var/cache/mail", "XDG_DATA_HOME": "/d",
      "XDG_CACHE_HOME": "/c",
    ]
    let service = StoreLocation(environment: environment, home: home, app: "notes")
    #expect(service.data.path() == "/var/lib/mail/notes/")
    #expect(service.settings.path() == "/var/lib/mail/notes/settings/")
    #expect(service.caches.path() == "/var/cache/mail/notes/")
    let moved = StoreLocation(
      environment: environment.merging(["URL_LOADING_SYSTEM_HOME": "/tmp/x"]) { $1 }, home: home, app: "notes")
    #expect(moved.data.path() == "/tmp/x/data/")
    #expect(moved.caches.path() == "/tmp/x/caches/")
    let relative = StoreLocation(environment: ["STATE_DIRECTORY": "lib", "CACHE_DIRECTORY": ":"], home: home, app: "notes")
    #expect(relative.data.path() == "/home/ada/.local/share/notes/")
    #expect(relative.caches.path() == "/home/ada/.cache/notes/")
  }

  @Test(arguments: [("notes", "notes"), ("a/b", "a-b"), ("", "app"), ("..", "app"), (".", "app"), ("../x", "..-x")])
  func anyNameIsOneFolder(_ name: String, _ folder: String) {
    #expect(StoreLocation.folderName(name) == folder)
  }
}
