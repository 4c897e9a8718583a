import Foundation

/// The contexts that drawing functions without a context parameter draw on: a stack for each thread, in the thread's dictionary.
enum CurrentContexts {
  /// One entry of the stack.
  final class Entry {
    let context: CGContext
    /// The scale of the image that `UIGraphicsBeginImageContextWithOptions` began; nil for a context that was pushed.
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

  /// Makes the context current during the call, and the stack what it was before, whatever the body pushed.
  static func with(_ context: CGContext, _ body: () -> Void) {
    let before = stack
    push(context)
    body()
    stack = before
  }
}

/// The context that drawing functions draw on, or nil if there is none on this thread.
public func UIGraphicsGetCurrentContext() -> CGContext? { CurrentContexts.last?.context }

/// Makes a context current on this thread until `UIGraphicsPopContext()`.
public func UIGraphicsPushContext(_ context: CGContext) { CurrentContexts.push(context) }

/// Makes current again what was current before `UIGraphicsPushContext(_:)`.
public func UIGraphicsPopContext() { CurrentContexts.pop() }
