import Foundation

/// An input source of a run loop: `signal` makes the loop call a function, even if it is sleeping, and makes `RunLoop.run(mode:before:)` return.
///
/// `RunLoop.perform` does neither on Linux: its blocks wait until something else wakes the loop.
final class RunLoopSource: @unchecked Sendable {
  // @unchecked: everything stored is immutable; Core Foundation's sources, and the run-loop functions that are called here, are thread-safe.

  /// Foundation's own input source. Its run loop doesn't retain it.
  private final class Source: RunLoop._Source {
    let run: () -> Void

    init(_ run: @escaping () -> Void) {
      self.run = run
      super.init(order: 0)
    }

    override func perform() { run() }
  }

  private let source: Source
  private let loop: RunLoop
  private let mode: RunLoop.Mode

  init(_ loop: RunLoop, _ mode: RunLoop.Mode, _ run: @escaping () -> Void) {
    source = Source(run)
    self.loop = loop
    self.mode = mode
    loop._add(source, forMode: mode)
  }

  func isOn(_ loop: RunLoop, _ mode: RunLoop.Mode) -> Bool { self.loop === loop && self.mode == mode }

  /// Makes the run loop call the function soon. Several signals before the call lead to one call.
  func signal() {
    source.signal()
    // Signalling a source doesn't wake the sleeping loop; adding a timer that is due does.
    loop.add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in }, forMode: mode)
  }

  /// Removes the source from its run loop, which may be calling the function at this moment: the block keeps the source alive until the loop's next
  /// turn.
  func remove() {
    loop._remove(source, for: mode)
    loop.perform(inModes: [mode]) { [self] in withExtendedLifetime(self) {} }
  }
}
