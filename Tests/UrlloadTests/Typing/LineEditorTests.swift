import Testing

@testable import urlload

/// Lines that are typed at a terminal.
@Suite struct LineEditorTests {
  private func editor(_ typed: String) -> (editor: LineEditor, outcome: LineEditor.Outcome) {
    var (parser, editor, outcome) = (KeyParser(), LineEditor(), LineEditor.Outcome.goesOn)
    for key in parser.take(typed.utf8) { outcome = editor.take(key) }
    return (editor, outcome)
  }

  @Test(arguments: [
    ("abc", "abc"), ("abc\u{7F}", "ab"), ("abc\u{8}\u{8}x", "ax"), ("ac\u{1B}[Db", "abc"), ("ac\u{2}b\u{6}d", "abcd"),
    ("bc\u{1B}[Ha\u{1B}[Fd", "abcd"), ("bc\u{1}a\u{5}d", "abcd"), ("bc\u{1B}OHa", "abc"), ("abc\u{1B}[D\u{1B}[D\u{1B}[3~", "ac"),
    ("abc\u{2}\u{2}\u{4}", "ac"), ("one two\u{17}", "one "), ("one two\u{15}x", "x"), ("one two\u{1B}b\u{B}", "one "),
    ("one two\u{1B}[1;5Dx", "one xtwo"), ("a\u{1B}[1;5D\u{1B}[1;5Cb", "ab"), ("\u{1B}[D\u{7F}\u{1B}[3~a", "a"),
    ("a\u{1B}[Zb\u{1B}[200~c", "abc"),
    ("κόσμε\u{7F}", "κόσμ"), ("日本\u{1B}[Dx", "日x本"), ("a\tb", "a\tb"),
  ]) func keysEditTheLine(_ typed: String, _ text: String) {
    #expect(editor(typed).editor.text == text)
  }

  @Test func bytesMayComeOneByOne() {
    var (parser, keys) = (KeyParser(), [TypedKey]())
    for byte in "é\u{1B}[1;5C\u{1B}OA".utf8 { keys += parser.take([byte]) }
    #expect(keys == [.character("é"), .wordRight, .up])
    #expect(parser.take([0x80, 0xFF, 0xC3, 0x28, 0x61]) == [.character("("), .character("a")])
  }

  @Test func lineAndEndOfInput() {
    #expect(editor("abc\r").outcome == .line("abc"))
    #expect(editor("abc\n").editor.text == "")
    #expect(editor("\u{4}").outcome == .ended)
    #expect(editor("a\u{4}").outcome == .goesOn)
  }

  @Test func historyBringsLinesBack() {
    let up = "\u{1B}[A"
    let down = "\u{1B}[B"
    #expect(editor("one\ntwo\n\(up)").editor.text == "two")
    #expect(editor("one\ntwo\n\(up)\(up)\(up)").editor.text == "one")
    #expect(editor("one\ntwo\ndraft\(up)\(up)\(down)").editor.text == "two")
    #expect(editor("one\ntwo\ndraft\(up)\(up)\(down)\(down)\(down)").editor.text == "draft")
    // What is said twice, or is empty, is kept once or not at all.
    #expect(editor("one\none\n\n\(up)\(up)").editor.text == "one")
    #expect(editor("one\n\u{10}\u{10}\u{E}x").editor.text == "x")
  }

  @Test func partAroundTheCursorIsShown() {
    let long = String(repeating: "0123456789", count: 10)
    #expect(editor(long).editor.visible(columns: 20) == ("1234567890123456789".suffix(19).description, 19))
    #expect(editor(long + "\u{1}").editor.visible(columns: 20) == ("0123456789012345678", 0))
    #expect(editor("日本").editor.visible(columns: 20) == ("日本", 4))
    #expect(editor("").editor.visible(columns: 0) == ("", 0))
  }
}
