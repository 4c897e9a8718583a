import Foundation
import LoadingModel
import ProtocolRules
import Testing

@Suite struct FTPResourceTests {
  @Test(
    arguments: [
      ("/", [], nil), ("/a.txt", [], "a.txt"), ("/d/e/a.txt", ["d", "e"], "a.txt"), ("/d/", ["d"], nil), ("/%2Fetc/motd", ["/etc"], "motd"),
      ("//etc/motd", ["/", "etc"], "motd"), ("/d//a", ["d"], "a"), ("/a%20b;type=I", [], "a b"), ("/a%3Btype=a", [], "a;type=a"),
      ("/d/e;type=d", ["d", "e"], nil), ("/a?b", [], "a?b"), ("/%C3%A9", [], "é"),
    ] as [(String, [String], String?)]) func pathNamesFoldersAndAnItem(_ path: String, _ folders: [String], _ file: String?) throws
  {
    let resource = try FTPResource(path: path)
    #expect(resource.folders == folders.map { Array($0.utf8) })
    if let file { #expect(resource.item == .file(Array(file.utf8))) } else if case .file = resource.item { Issue.record("a file") }
    #expect(resource.hasForeignNames == path.contains("%C3"))
  }

  @Test(arguments: ["/a%0D%0ADELE%20b", "/%0A/b", "/a%00", "/a%zz", "/a%4", "/" + String(repeating: "d/", count: 200)])
  func pathThatWouldSmuggleACommandIsRefused(_ path: String) {
    #expect(throws: LoadError.self) { try FTPResource(path: path) }
  }

  @Test func commandsTakeNoLineBreaksAndDontShowTheirArguments() throws {
    #expect(throws: LoadError.self) { try FTPCommand("PASS", "a\r\nDELE x".utf8) }
    let command = try FTPCommand("PASS", "hunter2".utf8)
    #expect(command.line == Array("PASS hunter2\r\n".utf8))
    #expect(!"\(command)".contains("hunter2"))
    #expect(!String(reflecting: command).contains("hunter2"))
  }
}
