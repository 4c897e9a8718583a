#if Inspector
  import Foundation
  import HeadlessDrawing
  import URLLoadingInspector

  /// The format of a waterfall picture, by the ending of its file's name.
  enum WaterfallFormat {
    case svg, png

    static let advice = "A waterfall's file ends in .svg or .png (for which the system's Cairo library is needed)."

    init?(of path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "svg": self = .svg
      case "png": self = .png
      default: return nil
      }
    }
  }

  /// A picture of the phases of transfers: one row for each transfer, all on one time axis. Pure.
  ///
  /// Texts have fixed positions and are cut to a number of characters; no font is measured, so that pictures are the same on all machines.
  struct WaterfallPicture {
    private struct Span {
      let color: UIColor
      let start: Double
      let end: Double
    }

    private static let width: CGFloat = 1000
    private static let nameWidth: CGFloat = 330
    private static let timeWidth: CGFloat = 80
    private static let rowHeight: CGFloat = 20
    private static let headHeight: CGFloat = 52
    private static let margin: CGFloat = 12
    private static let nameLength = 46
    /// Maximum number of transfers that are drawn; bounds the picture's height.
    private static let rowLimit = 1000
    private static let lineCount = 5

    private static let phases: [(name: String, color: UIColor)] = [
      ("waiting", UIColor(red: 0.60, green: 0.63, blue: 0.67, alpha: 1)), ("lookup", UIColor(red: 0.07, green: 0.50, blue: 0.48, alpha: 1)),
      ("connect", UIColor(red: 0.76, green: 0.39, blue: 0.00, alpha: 1)), ("TLS", UIColor(red: 0.56, green: 0.24, blue: 0.72, alpha: 1)),
      ("send", UIColor(red: 0.30, green: 0.44, blue: 0.08, alpha: 1)), ("response", UIColor(red: 0.36, green: 0.70, blue: 0.42, alpha: 1)),
      ("receive", UIColor(red: 0.16, green: 0.44, blue: 0.86, alpha: 1)),
    ]

    private let transfers: [RecordedTransfer]
    /// When the first transfer began, and milliseconds from then to the end of the last one.
    private let begin: Date
    private let length: Double

    init(_ transfers: [RecordedTransfer]) {
      let shown = Array(transfers.prefix(WaterfallPicture.rowLimit))
      let begin = shown.map(\.start).min() ?? Date(timeIntervalSince1970: 0)
      self.transfers = shown
      self.begin = begin
      length = max(0.001, shown.map { $0.start.timeIntervalSince(begin) * 1000 + ($0.duration ?? 0) }.max() ?? 0)
    }

    /// The picture's data; nil if the format needs the Cairo library and that is missing.
    func data(_ format: WaterfallFormat) -> Data? {
      let size = CGSize(
        width: WaterfallPicture.width,
        height: WaterfallPicture.headHeight + CGFloat(max(1, transfers.count)) * WaterfallPicture.rowHeight + WaterfallPicture.margin)
      let renderer = UIGraphicsImageRenderer(size: size)
      switch format {
      case .svg: return renderer.svgData { draw($0, size) }
      case .png:
        let data = renderer.pngData { draw($0, size) }
        return data.isEmpty ? nil : data
      }
    }

    private func draw(_ context: UIGraphicsImageRendererContext, _ size: CGSize) {
      UIColor.white.setFill()
      context.fill(CGRect(origin: .zero, size: size))
      drawLegend()
      drawAxis(size)
      for (index, transfer) in transfers.enumerated() {
        draw(transfer, at: WaterfallPicture.headHeight + CGFloat(index) * WaterfallPicture.rowHeight)
      }
    }

    private func drawLegend() {
      var x = WaterfallPicture.margin
      for (name, color) in WaterfallPicture.phases {
        color.setFill()
        UIBezierPath(rect: CGRect(x: x, y: 11, width: 10, height: 10)).fill()
        WaterfallPicture.write(name, at: CGPoint(x: x + 14, y: 8))
        x += 30 + CGFloat(name.count) * 8
      }
    }

    private func drawAxis(_ size: CGSize) {
      for index in 0...WaterfallPicture.lineCount {
        let time = length * Double(index) / Double(WaterfallPicture.lineCount)
        let line = UIBezierPath()
        line.move(to: CGPoint(x: place(time), y: WaterfallPicture.headHeight - 6))
        line.addLine(to: CGPoint(x: place(time), y: size.height - WaterfallPicture.margin))
        UIColor(white: 0.88, alpha: 1).setStroke()
        line.lineWidth = 1
        line.stroke()
        WaterfallPicture.write(Quantity.duration(time / 1000), at: CGPoint(x: place(time) + 2, y: 28), isFaint: true)
      }
    }

    private func draw(_ transfer: RecordedTransfer, at top: CGFloat) {
      let offset = transfer.start.timeIntervalSince(begin) * 1000
      let isBad = transfer.failure != nil || transfer.response.map { $0.status >= 400 } ?? false
      let status = transfer.response.map { "\($0.status)" } ?? (transfer.state == .active ? "…" : "–")
      WaterfallPicture.write(
        WaterfallPicture.name(transfer, status), at: CGPoint(x: WaterfallPicture.margin, y: top + 2), isBad: isBad)
      for span in WaterfallPicture.spans(transfer) {
        span.color.setFill()
        let (start, end) = (place(offset + span.start), place(offset + span.end))
        UIBezierPath(rect: CGRect(x: start, y: top + 5, width: max(1, end - start), height: WaterfallPicture.rowHeight - 10)).fill()
      }
      let text = transfer.source == "cache" ? "cache" : Quantity.duration((transfer.duration ?? 0) / 1000)
      WaterfallPicture.write(text, at: CGPoint(x: WaterfallPicture.width - WaterfallPicture.timeWidth + 8, y: top + 2), isFaint: true)
    }

    /// The x coordinate of a time on the axis.
    private func place(_ milliseconds: Double) -> CGFloat {
      let width = WaterfallPicture.width - WaterfallPicture.nameWidth - WaterfallPicture.timeWidth
      return WaterfallPicture.nameWidth + width * CGFloat(min(1, max(0, milliseconds / length)))
    }

    private static func name(_ transfer: RecordedTransfer, _ status: String) -> String {
      let url = transfer.request.url
      let short = url.range(of: "://").map { String(url[$0.upperBound...]) } ?? url
      // A long URL is cut in the middle, because its end tells more.
      let cut = short.count > nameLength ? "\(short.prefix(nameLength / 2 - 1))…\(short.suffix(nameLength / 2))" : short
      return "\(status) \(transfer.request.method) \(cut)"
    }

    private static func spans(_ transfer: RecordedTransfer) -> [Span] {
      let phases = transfer.phases
      let end = phases.end ?? 0
      var spans = [Span(color: WaterfallPicture.phases[0].color, start: 0, end: end)]
      func add(_ index: Int, _ start: Double?, _ stop: Double?) {
        guard let start, (stop ?? end) >= start else { return }
        spans.append(Span(color: WaterfallPicture.phases[index].color, start: start, end: min(stop ?? end, end)))
      }
      if transfer.connection?.isReused != true {
        add(1, phases.lookupStart, phases.lookupEnd)
        add(2, phases.connectStart, phases.connectEnd)
        add(3, phases.tlsStart, phases.tlsEnd)
      }
      add(4, phases.sendStart, phases.sendEnd ?? phases.receiveStart)
      add(5, phases.sendEnd ?? phases.sendStart, phases.receiveStart)
      add(6, phases.receiveStart, end)
      return spans
    }

    private static func write(_ text: String, at point: CGPoint, isFaint: Bool = false, isBad: Bool = false) {
      let color = isBad ? UIColor(red: 0.70, green: 0.15, blue: 0.12, alpha: 1) : UIColor(white: isFaint ? 0.45 : 0.15, alpha: 1)
      text.draw(at: point, withAttributes: [.font: UIFont.systemFont(ofSize: 11), .foregroundColor: color])
    }
  }
#endif
