import Foundation
import LoadingEngine
import ProtocolRules
import Testing

struct DesktopProxiesReadingTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "desktop-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func desktopWithoutAFileHasNoProxies() throws {
    try withFolder { #expect(DesktopProxies(.kioslaverc(folder: $0)).read().isEmpty) }
    #expect(DesktopProxies(.kioslaverc(folder: "/nowhere")).read().isEmpty)
  }

  @Test func fileIsReadAsFarAsAFileOfSettingsCanReach() throws {
    try withFolder { folder in
      let file = URL(filePath: folder).appending(path: "kioslaverc")
      let settings = "[Proxy Settings]\nProxyType=1\nhttpProxy=http://h.test 8080\n"
      let filling = String(repeating: "#\n", count: 1 << 20)
      try Data((settings + filling + "httpsProxy=http://s.test 1\n").utf8).write(to: file)
      #expect(DesktopProxies(.kioslaverc(folder: folder)).read().entries.count == 1)
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      #expect(DesktopProxies(.kioslaverc(folder: folder)).read().isEmpty)
    }
  }

  /// Whatever is installed and set here: an answer comes, and no crash.
  @Test func gsettingsIsAskedWhereItIsInstalled() throws {
    try withFolder { folder in
      let desktop = DesktopProxies(.gsettings, variables: ["GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": folder])
      #expect(desktop.read().isEmpty)
    }
  }
}
