import UIKit

/// Shapes as an app for Apple's platforms computes and draws them.
public enum Badge {
  /// A star with so many points.
  public static func star(points: Int, radius: CGFloat) -> UIBezierPath {
    let path = UIBezierPath()
    for index in 0..<(points * 2) {
      let distance = index.isMultiple(of: 2) ? radius : radius * 0.45
      let angle = CGFloat(index) * .pi / CGFloat(points) - .pi / 2
      let point = CGPoint(x: radius + distance * cos(angle), y: radius + distance * sin(angle))
      if index == 0 { path.move(to: point) } else { path.addLine(to: point) }
    }
    path.close()
    return path
  }

  public static func image(_ path: UIBezierPath, size: CGSize) -> UIImage {
    UIGraphicsImageRenderer(size: size).image { _ in
      UIColor.systemYellow.setFill()
      path.fill()
      UIColor.black.setStroke()
      path.lineWidth = 2
      path.stroke()
    }
  }
}
