import Foundation
import Synchronization
import Testing

@testable import HeadlessDrawing

struct CurrentContextTests {
  private func context() -> CGContext {
    CGContext(surface: EmptySurface(), size: CGSize(width: 1, height: 1), transform: .identity)
  }

  @Test func contextsAreAStack() {
    #expect(UIGraphicsGetCurrentContext() == nil)
    let (first, second) = (context(), context())
    UIGraphicsPushContext(first)
    UIGraphicsPushContext(second)
    #expect(UIGraphicsGetCurrentContext() === second)
    UIGraphicsPopContext()
    #expect(UIGraphicsGetCurrentContext() === first)
    // Not an image's context: nothing ends.
    UIGraphicsEndImageContext()
    #expect(UIGraphicsGetCurrentContext() === first)
    UIGraphicsPopContext()
    UIGraphicsPopContext()
    #expect(UIGraphicsGetCurrentContext() == nil)
  }

  @Test func rendererBringsBackTheStackThatItFound() {
    let outer = context()
    UIGraphicsPushContext(outer)
    _ = UIGraphicsImageRenderer(size: CGSize(width: 1, height: 1)).svgData { renderer in
      #expect(UIGraphicsGetCurrentContext() === renderer.cgContext)
      UIGraphicsPushContext(context())
      UIGraphicsPushContext(context())
    }
    #expect(UIGraphicsGetCurrentContext() === outer)
    _ = UIGraphicsImageRenderer(size: CGSize(width: 1, height: 1)).svgData { _ in
      UIGraphicsPopContext()
      UIGraphicsPopContext()
      #expect(UIGraphicsGetCurrentContext() == nil)
      UIColor.red.setFill()
      UIBezierPath(rect: CGRect(x: 0, y: 0, width: 1, height: 1)).fill()
    }
    #expect(UIGraphicsGetCurrentContext() === outer)
    UIGraphicsPopContext()
  }

  @Test func threadsDrawApart() async {
    let documents = await withTaskGroup(of: (Int, Data).self) { group in
      for number in 0..<16 {
        group.addTask {
          let data = UIGraphicsImageRenderer(size: CGSize(width: 20, height: 20)).svgData { _ in
            for step in 0..<50 {
              UIColor(white: CGFloat(number) / 16, alpha: 1).setFill()
              UIBezierPath(rect: CGRect(x: number, y: step, width: 1, height: 1)).fill()
            }
          }
          return (number, data)
        }
      }
      return await group.reduce(into: [Int: Data]()) { $0[$1.0] = $1.1 }
    }
    for number in 0..<16 {
      let text = String(decoding: documents[number] ?? Data(), as: UTF8.self)
      #expect(text.split(separator: "<path ").count == 51)
      #expect(text.split(separator: "d=\"M\(number) ").count == 51)
    }
  }

  @Test func otherThreadHasNoCurrentContext() {
    UIGraphicsPushContext(context())
    defer { UIGraphicsPopContext() }
    let isThere = Mutex(true)
    let end = DispatchSemaphore(value: 0)
    Thread {
      isThere.withLock { $0 = UIGraphicsGetCurrentContext() != nil }
      end.signal()
    }.start()
    end.wait()
    #expect(!isThere.withLock { $0 })
  }

  @Test(.enabled(if: HeadlessBitmaps.isAvailable, "cairo isn't there"))
  func threadsDrawBitmapsAtTheSameTime() async {
    let images = await withTaskGroup(of: UIImage.self) { group in
      for _ in 0..<8 {
        group.addTask {
          UIGraphicsImageRenderer(size: SamplePaths.size).image { _ in
            for index in SamplePaths.indices { SamplePaths[index].stroke() }
            "text of some length".draw(at: CGPoint(x: 5, y: 5), withAttributes: [.font: UIFont.systemFont(ofSize: 13)])
          }
        }
      }
      return await group.reduce(into: Set<UIImage>()) { $0.insert($1) }
    }
    #expect(images.count == 1)
  }
}
