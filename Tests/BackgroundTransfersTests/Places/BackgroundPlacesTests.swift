import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct BackgroundPlacesTests {
  private let folder: TemporaryFolder
  private let home: URL

  init() throws {
    folder = try TemporaryFolder()
    home = try folder.folder("home")
  }

  @Test func foldersFollowTheBaseDirectorySpecification() throws {
    let plain = try BackgroundPlaces(environment: [:], home: home)
    #expect(plain.data.path() == folder.path("home/.local/share/urlsessiond/"))
    #expect(plain.settings.path() == folder.path("home/.config/urlsessiond/"))
    let set = try BackgroundPlaces(
      environment: ["XDG_DATA_HOME": folder.path("d"), "XDG_CONFIG_HOME": folder.path("c"), "HOME": "relative"], home: home)
    #expect(set.data.path() == folder.path("d/urlsessiond/"))
    #expect(set.settings.path() == folder.path("c/urlsessiond/"))
    let moved = try BackgroundPlaces(environment: ["URL_LOADING_SYSTEM_HOME": folder.path("m"), "XDG_DATA_HOME": "/d"], home: home)
    #expect(moved.data.path() == folder.path("m/urlsessiond/"))
    #expect(moved.settings.path() == folder.path("m/settings/urlsessiond/"))
    #expect(moved.lock.path() == folder.path("m/urlsessiond/lock"))
  }

  @Test func foldersAreTheUsersAlone() throws {
    let runtime = try folder.folder("run")
    let open = try folder.folder("home/.local/share/urlsessiond")
    try #require(chmod(open.path(), 0o755) == 0)
    let places = try BackgroundPlaces(environment: ["XDG_RUNTIME_DIR": runtime.path()], home: home)
    for made in [places.data, places.files, places.taken, URL(filePath: places.socket).deletingLastPathComponent()] {
      var status = stat()
      #expect(stat(made.path(), &status) == 0 && status.st_mode & 0o777 == 0o700)
    }
  }

  @Test func oneDataFolderHasOneSocketHoweverItIsSpelt() throws {
    try #require(symlink(home.path(), folder.path("link")) == 0)
    let straight = try BackgroundPlaces(environment: [:], home: home)
    let round = try BackgroundPlaces(environment: ["HOME": folder.path("home/../link/.")], home: URL(filePath: "/nowhere"))
    let other = try BackgroundPlaces(environment: ["XDG_DATA_HOME": folder.path("d")], home: home)
    #expect(straight.socket == round.socket && straight.data == round.data)
    #expect(straight.socket != other.socket)
  }

  @Test func socketIsInTheRuntimeFolderOrItsSubstitute() throws {
    let runtime = try folder.folder("run")
    let name = #/[0-9a-f]{16}\.sock/#
    let there = try BackgroundPlaces(environment: ["XDG_RUNTIME_DIR": runtime.path()], home: home).socket
    #expect(there.hasPrefix(folder.path("run/urlsessiond/")) && there.suffix(21).wholeMatch(of: name) != nil)
    for variable in ["relative", "", folder.path("absent")] {
      let substitute = try BackgroundPlaces(environment: ["XDG_RUNTIME_DIR": variable], home: home).socket
      #expect(substitute == "/tmp/urlsessiond-\(geteuid())/\(there.suffix(21))")
    }
  }

  @Test func whatIsNoFolderOfTheUserIsRefused() throws {
    try #require(symlink(home.path(), folder.path("link")) == 0)
    #expect(throws: Refusal.self) { try PrivateFolder.make(folder.path("link")) }
    try Data().write(to: URL(filePath: folder.path("file")))
    #expect(throws: Refusal.self) { try PrivateFolder.make(folder.path("file")) }
    #expect {
      try BackgroundPlaces(environment: ["URL_LOADING_SYSTEM_HOME": folder.path("file")], home: home)
    } throws: {
      ($0 as? Refusal)?.reason == .storage
    }
  }

  /// In the shared folder another user may have been first; here it is a file.
  @Test func whereTheSharedFolderIsTakenTheDataFolderDoes() throws {
    let shared = try folder.folder("tmp")
    try Data().write(to: shared.appending(path: "urlsessiond-\(geteuid())"))
    let places = try BackgroundPlaces(environment: [:], home: home, temporary: shared.path(percentEncoded: false))
    #expect(places.socket.hasPrefix(places.data.path(percentEncoded: false)) && places.socket.hasSuffix(".sock"))
    let link = try places.listen()
    link.close()
  }

  @Test func aRefusalIsItsText() { #expect("\(Refusal(.storage, "what to do"))" == "what to do") }

  @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user"))
  func folderOfAnotherUserIsRefused() throws {
    let foreign = try folder.folder("foreign")
    try #require(chown(foreign.path(), 65_534, 65_534) == 0)
    #expect {
      try PrivateFolder.make(folder.path("foreign"))
    } throws: {
      ($0 as? Refusal)?.text.contains("another user") == true
    }
    let places = try BackgroundPlaces(environment: ["XDG_RUNTIME_DIR": foreign.path()], home: home)
    #expect(places.socket.hasPrefix("/tmp/"))
  }
}
