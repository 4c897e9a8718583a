import Foundation
import LoadingModel
import Testing

/// Files whose content the kernel makes when they are read.
@Suite struct SystemFileTests {
  /// The kernel gives a piece of 4 KiB at a time, and lists the stack behind all libraries.
  @Test func allPiecesAreRead() throws {
    let text = try #require(SystemFile.text("/proc/self/maps"))
    #expect(text.utf8.count > 4096)
    #expect(text.contains("[stack]") && text.last == "\n")
  }

  @Test func whatCannotBeReadIsNone() {
    #expect(SystemFile.text("/proc/self/there-is-no-such-file") == nil)
    #expect(SystemFile.text("/proc/self") == nil)
    #expect(SystemFile.text("/dev/null") == "")
  }
}
