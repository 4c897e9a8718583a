#if Combine && TestKit
  import Foundation
  import HeadlessUIKit
  import URLLoadingTestKit

  /// The server of the example: it draws its photos itself, and has one that never arrives.
  enum Gallery {
    /// URLs of so many photos, at two names of the same server, and of the one that never arrives.
    static func urls(_ count: Int, of server: TestServer) -> (photos: [URL], stalled: URL?) {
      let hosts = ["127.0.0.1", "localhost"]
      func url(_ host: String, _ path: String) -> URL? { URL(string: "http://\(host):\(server.port)/\(path)") }
      let photos = (0..<count).compactMap { url(hosts[$0 * 3 / max(1, count) % 2], "photo?n=\($0)") }
      return (photos, url(hosts[0], "stalled"))
    }

    static func serve(_ server: TestServer) {
      server.route("/photo") { request in
        let number = URLComponents(string: request.uri)?.queryItems?.first { $0.name == "n" }?.value.flatMap { Int($0) } ?? 0
        return Reply(headers: ["Content-Type": "image/png", "Cache-Control": "max-age=3600"], body: .bytes(photo(number)))
      }
      server.route(
        "/stalled", reply: Reply(headers: ["Content-Type": "image/png"], body: .bytes(photo(0)), faults: [.stallAfter(bodyBytes: 100)]))
    }

    /// A landscape: a sky, a sun, and hills as one curve.
    private static func photo(_ number: Int) -> Data {
      let bounds = CGRect(x: 0, y: 0, width: 240, height: 160 + CGFloat(number % 3) * 40)
      let hue = CGFloat(number * 37 % 100) / 100
      return UIGraphicsImageRenderer(bounds: bounds).pngData { context in
        UIColor(hue: hue, saturation: 0.35, brightness: 0.95, alpha: 1).setFill()
        context.fill(bounds)
        UIColor(hue: 0.13, saturation: 0.5, brightness: 1, alpha: 1).setFill()
        UIBezierPath(
          arcCenter: CGPoint(x: 60 + CGFloat(number * 23 % 120), y: 55), radius: 26, startAngle: 0, endAngle: 2 * .pi, clockwise: true
        )
        .fill()
        let hills = UIBezierPath()
        hills.move(to: CGPoint(x: 0, y: bounds.maxY))
        hills.addLine(to: CGPoint(x: 0, y: bounds.maxY * 0.7))
        hills.addCurve(
          to: CGPoint(x: bounds.maxX, y: bounds.maxY * 0.6), controlPoint1: CGPoint(x: 70, y: bounds.maxY * 0.35),
          controlPoint2: CGPoint(x: 150, y: bounds.maxY))
        hills.addLine(to: CGPoint(x: bounds.maxX, y: bounds.maxY))
        hills.close()
        UIColor(hue: hue, saturation: 0.6, brightness: 0.45, alpha: 1).setFill()
        hills.fill()
      }
    }
  }
#endif
