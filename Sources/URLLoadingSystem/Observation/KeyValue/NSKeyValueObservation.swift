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

  /// Ends the observation and releases its handler: nothing more is told, but for a call that another thread is making or about to make. No
  /// effect the second time.
  public func invalidate() {
    let end = ending.withLock { $0.take() }
    end?()
  }

  deinit { invalidate() }
}
