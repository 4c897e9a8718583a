import Foundation
import LoadingModel

/// An observation begun by `observe(_:options:changeHandler:)`. It ends when this object is released, or with `invalidate()`.
///
/// May be used from any thread. It doesn't keep the observed object alive.
public final class NSKeyValueObservation: NSObject, Sendable {
  private let ending: Mutex<(@Sendable () -> Void)?>

  init(_ ending: @escaping @Sendable () -> Void) {
    self.ending = Mutex(ending)
    super.init()
  }

  /// Ends the observation and releases its handler, which isn't called any more, except that a call which another thread is making or about to make
  /// may still take place. Further calls of this method have no effect.
  public func invalidate() {
    let end = ending.withLock { $0.take() }
    end?()
  }

  deinit { invalidate() }
}
