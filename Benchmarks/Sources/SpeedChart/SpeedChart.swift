import Foundation
import HeadlessUIKit

/// Draws the picture of README.md: `SpeedChart results/latest.json results/speed.svg`.
///
/// Texts begin at fixed places: no font is measured, so that the picture is the same wherever it is drawn.
@main struct SpeedChart {
  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: SpeedChart FIGURES.json PICTURE.svg")
      exit(64)
    }
    let figures = try Figures(try Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
    guard !figures.panels.isEmpty else {
      print("\(CommandLine.arguments[2]) was left alone: \(CommandLine.arguments[1]) has no figures of ours that it shows")
      exit(1)
    }
    try SpeedChart(figures: figures).svg.write(to: URL(filePath: CommandLine.arguments[2]))
  }

  private static let panelWidth: CGFloat = 424
  private static let panelMargin: CGFloat = 60
  private static let labelWidth: CGFloat = 160
  private static let barHeight: CGFloat = 18
  private static let barStep: CGFloat = 26
  private static let fullBar: CGFloat = 170
  private static let headHeight: CGFloat = 66
  private static let padding: CGFloat = 24

  private let figures: Figures
  private let panelHeight: CGFloat
  private let size: CGSize

  private init(figures: Figures) {
    self.figures = figures
    panelHeight = SpeedChart.panelMargin + SpeedChart.barStep * CGFloat(figures.bars.count)
    size = CGSize(width: 880, height: SpeedChart.headHeight + CGFloat((figures.panels.count + 1) / 2) * panelHeight + 34)
  }

  private var svg: Data {
    let drawn = UIGraphicsImageRenderer(size: size).svgData { _ in draw() }
    var document = SVGDocument(String(decoding: drawn, as: UTF8.self))
    document.adapt(Tone.allCases)
    document.describe(title: "CPU time of the client per request", figures.description)
    return document.data
  }

  private func draw() {
    let card = UIBezierPath(roundedRect: CGRect(origin: .zero, size: size).insetBy(dx: 0.5, dy: 0.5), cornerRadius: 8)
    Tone.card.color.setFill()
    card.fill()
    Tone.border.color.setStroke()
    card.stroke()
    write("CPU time of the client per request of 1 KiB: shorter is better", x: SpeedChart.padding, baseline: 36, .strong, size: 18)
    for (index, panel) in figures.panels.enumerated() {
      draw(
        panel, x: SpeedChart.padding + CGFloat(index % 2) * SpeedChart.panelWidth,
        y: SpeedChart.headHeight + CGFloat(index / 2) * panelHeight)
    }
    write(
      "Each panel has a scale of its own; a bar that is cut is longer than drawn. One core for the client, nginx on another, loopback.",
      x: SpeedChart.padding, baseline: size.height - 18, .text)
  }

  private func draw(_ panel: Figures.Panel, x: CGFloat, y: CGFloat) {
    write(panel.title, x: x, baseline: y + 12, .strong, size: 15)
    write(panel.subtitle, x: x + SpeedChart.labelWidth, baseline: y + 12, .text)
    let scale = figures.scale(panel)
    for (index, bar) in figures.bars.enumerated() {
      let top = y + 26 + CGFloat(index) * SpeedChart.barStep
      let baseline = top + SpeedChart.barHeight / 2 + 4.5
      let tone = index == 0 ? Tone.strong : .text
      write(bar.label, x: x, baseline: baseline, tone)
      let begin = x + SpeedChart.labelWidth
      guard let value = figures.value(panel, bar) else {
        write("not measured", x: begin + 2, baseline: baseline, .faint)
        continue
      }
      let width = SpeedChart.fullBar * CGFloat(min(1, value / scale))
      (index == 0 ? Tone.ours : .others).color.setFill()
      UIBezierPath(roundedRect: CGRect(x: begin, y: top, width: width, height: SpeedChart.barHeight), cornerRadius: 2).fill()
      if value > scale { cut(at: CGPoint(x: begin + width, y: top)) }
      write(Figures.text(value), x: begin + width + 6, baseline: baseline, tone)
    }
  }

  /// Two gaps near the end of a bar that isn't drawn to its length.
  private func cut(at end: CGPoint) {
    Tone.gap.color.setStroke()
    for offset: CGFloat in [26, 34] {
      let line = UIBezierPath()
      line.move(to: CGPoint(x: end.x - offset, y: end.y + SpeedChart.barHeight + 2))
      line.addLine(to: CGPoint(x: end.x - offset + 8, y: end.y - 2))
      line.lineWidth = 3
      line.stroke()
    }
  }

  private func write(_ text: String, x: CGFloat, baseline: CGFloat, _ tone: Tone, size: CGFloat = 13) {
    let font =
      tone == .strong ? UIFont.boldSystemFont(ofSize: size) : tone == .faint ? .italicSystemFont(ofSize: size) : .systemFont(ofSize: size)
    text.draw(at: CGPoint(x: x, y: baseline - font.ascender), withAttributes: [.font: font, .foregroundColor: tone.color])
  }
}
