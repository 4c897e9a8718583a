import Foundation
import HeadlessUIKit

/// A figure of boxes, arrows and lines of text, drawn by paths. Texts begin at fixed places: no font is measured, so that a figure is the same
/// wherever it is drawn.
struct Diagram {
  /// What a box shows.
  enum Role {
    /// The app's.
    case app
    /// The library's.
    case library
    /// The network and servers.
    case network

    var fill: UIColor {
      switch self {
      case .app: UIColor(red: 0.87, green: 0.93, blue: 1, alpha: 1)
      case .library: UIColor(red: 0.93, green: 0.96, blue: 0.87, alpha: 1)
      case .network: UIColor(red: 0.98, green: 0.92, blue: 0.86, alpha: 1)
      }
    }
  }

  struct Box {
    let frame: CGRect
    let title: String
    let lines: [String]
    let role: Role
  }

  struct Arrow {
    let points: [CGPoint]
    let label: String
    /// Where the label is, from the middle of the first stretch.
    let offset: CGPoint
    let isDashed: Bool
  }

  let name: String
  let size: CGSize
  private(set) var boxes: [Box] = []
  private(set) var arrows: [Arrow] = []

  init(_ name: String, width: CGFloat, height: CGFloat) { (self.name, size) = (name, CGSize(width: width, height: height)) }

  mutating func box(
    _ title: String, _ lines: [String] = [], x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat, role: Role = .library
  ) {
    boxes.append(Box(frame: CGRect(x: x, y: y, width: width, height: height), title: title, lines: lines, role: role))
  }

  mutating func arrow(_ points: [(CGFloat, CGFloat)], _ label: String = "", offset: (CGFloat, CGFloat) = (6, -6), isDashed: Bool = false) {
    arrows.append(
      Arrow(points: points.map { CGPoint(x: $0.0, y: $0.1) }, label: label, offset: CGPoint(x: offset.0, y: offset.1), isDashed: isDashed))
  }

  func svg() -> Data {
    UIGraphicsImageRenderer(size: size).svgData { context in
      UIColor.white.setFill()
      context.fill(CGRect(origin: .zero, size: size))
      for box in boxes { box.draw() }
      for arrow in arrows { arrow.draw() }
    }
  }

  fileprivate static let ink = UIColor(white: 0.2, alpha: 1)

  fileprivate static func write(_ text: String, at point: CGPoint, size: CGFloat, isBold: Bool = false) {
    let font = isBold ? UIFont.boldSystemFont(ofSize: size) : UIFont.systemFont(ofSize: size)
    text.draw(at: point, withAttributes: [.font: font, .foregroundColor: ink])
  }
}

extension Diagram.Box {
  fileprivate func draw() {
    let path = UIBezierPath(roundedRect: frame, cornerRadius: 8)
    role.fill.setFill()
    path.fill()
    Diagram.ink.setStroke()
    path.lineWidth = 1.2
    path.stroke()
    Diagram.write(title, at: CGPoint(x: frame.minX + 10, y: frame.minY + 7), size: 13, isBold: true)
    for (index, line) in lines.enumerated() {
      Diagram.write(line, at: CGPoint(x: frame.minX + 10, y: frame.minY + 27 + CGFloat(index) * 17), size: 12)
    }
  }
}

extension Diagram.Arrow {
  private static let headLength: CGFloat = 9

  fileprivate func draw() {
    guard let first = points.first, let last = points.last, points.count > 1 else { return }
    let path = UIBezierPath()
    path.move(to: first)
    for point in points.dropFirst() { path.addLine(to: point) }
    path.lineWidth = 1.4
    if isDashed { path.setLineDash([5, 4], count: 2, phase: 0) }
    Diagram.ink.setStroke()
    path.stroke()
    head(at: last, from: points[points.count - 2])
    if !label.isEmpty {
      let place = CGPoint(x: (first.x + points[1].x) / 2 + offset.x, y: (first.y + points[1].y) / 2 + offset.y - 10)
      Diagram.write(label, at: place, size: 11)
    }
  }

  private func head(at tip: CGPoint, from start: CGPoint) {
    let angle = atan2(tip.y - start.y, tip.x - start.x)
    let path = UIBezierPath()
    path.move(to: tip)
    for side in [angle + .pi - 0.4, angle + .pi + 0.4] {
      path.addLine(to: CGPoint(x: tip.x + Diagram.Arrow.headLength * cos(side), y: tip.y + Diagram.Arrow.headLength * sin(side)))
    }
    path.close()
    Diagram.ink.setFill()
    path.fill()
  }
}
