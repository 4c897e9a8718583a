import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct FileCreationMaskTests {
  @Test func maskIsReadFromTheStatusOfAProcess() {
    #expect(FileCreationMask.mask(inStatus: "Name:\tapp\nUmask:\t0027\nState:\tR (running)\n") == 0o027)
    #expect(FileCreationMask.mask(inStatus: "Name:\tapp\nUmask:\t0000\n") == 0)
  }

  @Test(arguments: ["", "Name:\tUmask:\n", "Umask:\n", "Umask:\t0089\n", "Umask:\t-1\n"])
  func textWithoutAMaskHasNone(text: String) {
    #expect(FileCreationMask.mask(inStatus: text) == nil)
  }
}
