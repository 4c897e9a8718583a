import Foundation
import Testing

@testable import HeadlessDrawing

@Suite(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
struct TextTests {
  private let font = UIFont.systemFont(ofSize: 20)

  /// The box of an image's pixels that aren't transparent.
  private func inkBox(_ image: UIImage) -> CGRect {
    var box = PointBox()
    guard let bitmap = image.cgImage?.bitmap else { return .null }
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width where bitmap.pixels[y * bitmap.width + x] != 0 { box.enclose(CGPoint(x: x, y: y)) }
    }
    return box.rect
  }

  @Test func sizeGrowsWithTheTextAndTheFont() {
    let one = "Wide".size(withAttributes: [.font: font])
    let two = "WideWide".size(withAttributes: [.font: font])
    #expect(abs(two.width - 2 * one.width) < 1)
    #expect(one.height == two.height && one.height == font.lineHeight)
    let large = "Wide".size(withAttributes: [.font: UIFont.systemFont(ofSize: 40)])
    #expect(abs(large.width - 2 * one.width) < 0.5 && abs(large.height - 2 * one.height) < 0.5)
    #expect("a\nb".size(withAttributes: [.font: font]).height == 2 * font.lineHeight)
    #expect("".size(withAttributes: [.font: font]) == .zero)
    #expect(("Wide" as NSString).size(withAttributes: [.font: font]) == one)
  }

  @Test func textIsDrawnInsideOfItsSize() {
    let size = "Hxg".size(withAttributes: [.font: font])
    let image = UIImage.drawn(100, 60) { _ in
      "Hxg".draw(at: CGPoint(x: 10, y: 20), withAttributes: [.font: font, .foregroundColor: UIColor.red])
    }
    let ink = inkBox(image)
    #expect(!ink.isNull)
    #expect(CGRect(x: 9, y: 19, width: size.width + 2, height: size.height + 2).contains(ink))
    #expect(image.cgImage?.bitmap.pixels.contains(0xffff_0000) == true)
  }

  @Test func boundingRectBreaksLines() {
    let text = "several words that need more than a line"
    let box = text.boundingRect(
      with: CGSize(width: 100, height: 1000), options: .usesLineFragmentOrigin, attributes: [.font: font], context: nil)
    #expect(box.width <= 100 && box.height >= 3 * font.lineHeight)
    let line = text.boundingRect(with: CGSize(width: 100, height: 1000), attributes: [.font: font], context: nil)
    #expect(line.height == font.lineHeight && line.width > 100)
  }

  @Test(arguments: [NSTextAlignment.left, .center, .right])
  func alignmentPlacesTheLine(alignment: NSTextAlignment) {
    let style = NSMutableParagraphStyle()
    style.alignment = alignment
    let image = UIImage.drawn(200, 30) { _ in
      "I".draw(in: CGRect(x: 0, y: 0, width: 200, height: 30), withAttributes: [.font: font, .paragraphStyle: style])
    }
    let x = inkBox(image).midX
    switch alignment {
    case .left: #expect(x < 20)
    case .center: #expect(abs(x - 100) < 5)
    default: #expect(x > 180)
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r", "\u{2028}", "\u{2029}"])
  func everyLineEndBeginsALine(end: String) {
    let layout = TextLayout("a\(end)\(end)b", face: font.face, paragraph: ParagraphAttributes())
    #expect(layout.lines.map(\.text) == ["a", "", "b"])
    #expect("a\(end)b".size(withAttributes: [.font: font]).height == 2 * font.lineHeight)
  }

  @Test func wordsThatAreTooWideAreBroken() {
    let layout = TextLayout("abcdefghij kl", face: font.face, paragraph: ParagraphAttributes(), width: 30)
    #expect(layout.lines.count > 3)
    #expect(layout.lines.map(\.text).joined() == "abcdefghijkl")
    let narrow = TextLayout("abc", face: font.face, paragraph: ParagraphAttributes(), width: 0)
    #expect(narrow.lines.map(\.text) == ["a", "b", "c"])
  }

  @Test func breakingALongWordMeasuresItAFewTimes() {
    var measured = 0
    let breaks = LineBreaks(width: 10) { text in
      measured += text.count
      return CGFloat(text.count)
    }
    let word = String(repeating: "a", count: 20_000)
    let lines = breaks.lines(of: word, mode: .byCharWrapping)
    #expect(lines.count == 2000 && lines.allSatisfy { $0.count == 10 })
    #expect(measured < 10 * word.count)
    #expect(breaks.lines(of: "", mode: .byCharWrapping) == [""])
    #expect(LineBreaks(width: 0) { CGFloat($0.count) }.lines(of: "abc", mode: .byCharWrapping) == ["a", "b", "c"])
  }

  @Test func truncationEndsWithAnEllipsis() {
    var paragraph = ParagraphAttributes()
    paragraph.lineBreakMode = .byTruncatingTail
    let layout = TextLayout("a long line of text", face: font.face, paragraph: paragraph, width: 80)
    #expect(layout.lines.count == 1 && layout.lines[0].text.hasSuffix("…") && layout.size.width <= 80)
  }

  @Test func nullCharactersAndEmptyFontsDrawNothingMore() {
    let image = UIImage.drawn(50, 30) { _ in
      "\0".draw(at: .zero)
      "text".draw(at: .zero, withAttributes: [.font: UIFont.systemFont(ofSize: 0)])
      "text".draw(at: .zero, withAttributes: [.font: UIFont.systemFont(ofSize: .nan)])
    }
    #expect(inkBox(image).isNull)
    #expect("a\0b".size(withAttributes: [.font: font]) == "ab".size(withAttributes: [.font: font]))
  }

  @Test func fontsTellTheirNames() {
    #expect(UIFont(name: "Helvetica-BoldOblique", size: 10)?.fontName == "Helvetica-BoldItalic")
    #expect(UIFont(name: "", size: 10) == nil)
    #expect(UIFont.boldSystemFont(ofSize: 10) == UIFont.systemFont(ofSize: 10, weight: .bold))
    #expect(UIFont.boldSystemFont(ofSize: 10) != UIFont.systemFont(ofSize: 10))
    #expect(font.withSize(5).pointSize == 5)
    #expect(font.ascender > 0 && font.descender < 0 && font.leading >= 0)
  }

  @Test func paragraphStylesCopy() {
    let style = NSMutableParagraphStyle()
    style.alignment = .right
    style.lineSpacing = 4
    #expect((style.copy() as? NSParagraphStyle)?.alignment == .right)
    #expect((style.mutableCopy() as? NSMutableParagraphStyle)?.lineSpacing == 4)
    #expect(NSParagraphStyle.default.alignment == .natural)
  }
}
