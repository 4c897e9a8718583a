import Foundation
import LoadingModel
import ProtocolRules
import Testing

@Suite struct FTPReplyTests {
  private func replies(_ text: String) throws -> [FTPReply] {
    var parser = FTPReplyParser()
    var found: [FTPReply] = []
    // Byte by byte: pieces arrive as they like.
    for byte in text.utf8 {
      parser.append([byte])
      while let reply = try parser.next() { found.append(reply) }
    }
    return found
  }

  @Test func repliesOfOneAndOfSeveralLinesAreTakenApart() throws {
    let found = try replies("220 ready\r\n211-Features:\r\n UTF8\r\n211-more\r\n2110 no\r\n 211 no\r\n211 End\r\n226\r\n230 bare\n")
    #expect(found.map(\.code) == [220, 211, 226, 230])
    #expect(found[1].lines.count == 6)
    #expect(FTPAnswers.lists("utf8", found[1]))
    #expect(!FTPAnswers.lists("MDTM", found[1]))
  }

  @Test(arguments: ["HTTP/1.1 400 Bad\r\n", "\r\n", "999 no\r\n", "22x\r\n", "220+x\r\n", "2"]) func whatIsNoReplyIsAnErrorOrWaits(
    _ text: String
  ) throws {
    var parser = FTPReplyParser()
    parser.append(text.utf8)
    if text == "2" { #expect(try parser.next() == nil) } else { #expect(throws: LoadError.self) { try parser.next() } }
  }

  @Test func endlessRepliesAreRefused() {
    for unit in ["220-x\r\n", "a", "230 unasked\r\n"] {
      var parser = FTPReplyParser()
      for _ in 0..<200_000 { parser.append(unit.utf8) }
      #expect(throws: LoadError.self) { while try parser.next() != nil {} }
    }
  }

  @Test(
    arguments: [
      ("Entering Extended Passive Mode (|||6446|)", 6446), ("(!!!1!)", 1), ("(|||65536|)", nil), ("(|||0|)", nil), ("(|||12", nil),
      ("(||1.2.3.4|12|)", nil), ("()", nil), ("(1112221)", nil),
    ] as [(String, Int?)]) func extendedPassivePort(_ text: String, _ port: Int?)
  {
    #expect(FTPAnswers.extendedPassivePort(FTPReply(code: 229, lines: [text])) == port)
  }

  @Test(
    arguments: [
      ("Entering Passive Mode (10,0,0,1,4,1)", 1025), ("=127,0,0,1,1,0", 256), ("2 ways (1,2,3,4,0,21).", 21), ("(1,2,3,4,0,0)", nil),
      ("(1,2,3,4,256,1)", nil), ("(1,2,3,4,5)", nil), ("none", nil),
      (String(repeating: "999,", count: 20_000) + "1,2,3,4,0,5", 5),
    ] as [(String, Int?)]) func passivePort(_ text: String, _ port: Int?)
  {
    #expect(FTPAnswers.passivePort(FTPReply(code: 227, lines: [text])) == port)
  }

  @Test func sizesAndDatesAreRead() {
    #expect(FTPAnswers.size(FTPReply(code: 213, lines: ["1234 "])) == 1234)
    #expect(FTPAnswers.size(FTPReply(code: 213, lines: ["-1"])) == nil)
    #expect(FTPAnswers.size(FTPReply(code: 213, lines: ["99999999999999999999"])) == nil)
    #expect(FTPAnswers.announcedSize(FTPReply(code: 150, lines: ["Opening (x) for a (77 bytes)."])) == 77)
    let date = FTPAnswers.modificationDate(FTPReply(code: 213, lines: ["19941106084937.5"]))
    #expect(date.map(HTTPDate.format) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(FTPAnswers.modificationDate(FTPReply(code: 213, lines: ["19941306084937"])) == nil)
  }

  @Test(arguments: [(450, "No files found", true), (550, "/: no files", true), (550, "no such folder", false), (226, "no files", false)])
  func someRefusalsOfListsMeanAnEmptyFolder(code: Int, text: String, isEmpty: Bool) {
    #expect(FTPRefusal.meansEmptyFolder(FTPReply(code: code, lines: [text])) == isEmpty)
  }

  @Test func refusalsAreTellingAndDontRepeatTheServersWords() {
    func kind(_ code: Int, _ text: String, _ step: FTPRefusal.Step) -> LoadError.Kind {
      let error = FTPRefusal.error(FTPReply(code: code, lines: [text]), at: step)
      #expect(!error.message.contains("hunter2"))
      return error.kind
    }
    #expect(kind(550, "No such file hunter2", .retrieve(isThere: false)) == .fileDoesNotExist)
    #expect(kind(550, "Failed to open file.", .retrieve(isThere: true)) == .noPermissionsToReadFile)
    #expect(kind(550, "Permission denied", .folder) == .noPermissionsToReadFile)
    #expect(kind(421, "bye", .login) == .networkConnectionLost)
    #expect(kind(530, "hunter2", .login) == .userAuthenticationRequired)
    #expect(kind(552, "full", .store) == .cannotWriteToFile)
    #expect(kind(553, "no", .store) == .cannotCreateFile)
    #expect(FTPRefusal.demandsTLS(FTPReply(code: 530, lines: ["Non-anonymous sessions must use encryption."])))
    #expect(!FTPRefusal.demandsTLS(FTPReply(code: 530, lines: ["Login incorrect."])))
  }
}
