import Foundation

/// The stack of current contexts of each thread, kept in the thread's dictionary. UIKit's drawing functions draw on the last one.
enum CurrentContexts {
  /// One context on the stack.
  final class Entry {
    let context: CGContext
    /// The scale of the image, if `UIGraphicsBeginImageContextWithOptions` pushed the context; nil if `UIGraphicsPushContext` did.
    let imageScale: CGFloat?

    init(context: CGContext, imageScale: CGFloat?) {
      self.context = context
      self.imageScale = imageScale
    }
  }

  private static let key = "HeadlessDrawing.CurrentContexts"

  private static var stack: [Entry] {
    get { Thread.current.threadDictionary[key] as? [Entry] ?? [] }
    set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
  }

  static var last: Entry? { stack.last }

  static func push(_ context: CGContext, imageScale: CGFloat? = nil) {
    stack.append(Entry(context: context, imageScale: imageScale))
  }

  static func pop() { _ = stack.popLast() }

  /// Makes `context` the current one while `body` runs. Restores the stack from before, even if `body` left contexts on it.
  static func with(_ context: CGContext, _ body: () -> Void) {
    let before = stack
    push(context)
    body()
    stack = before
  }
}

/// The current context of this thread, on which UIKit's drawing functions draw; nil if there is none.
public func UIGraphicsGetCurrentContext() -> CGContext? { CurrentContexts.last?.context }

/// Makes a context current on this thread until `UIGraphicsPopContext()`.
public func UIGraphicsPushContext(_ context: CGContext) { CurrentContexts.push(context) }

/// Removes the context that `UIGraphicsPushContext(_:)` pushed; the one before it becomes current again.
public func UIGraphicsPopContext() { CurrentContexts.pop() }
