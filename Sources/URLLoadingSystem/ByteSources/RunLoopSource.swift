import Foundation

/// An input source of a run loop: `signal` has the loop call a function, also one that sleeps, and `RunLoop.run(mode:before:)` return.
///
/// `RunLoop.perform` does neither on Linux: its blocks wait until something else wakes the loop.
final class RunLoopSource: @unchecked Sendable {
  // @unchecked: everything stored is immutable; Core Foundation's sources, and the functions of a run loop that are called here, are for
  // any thread.

  /// Foundation's own input source. It isn't kept by the loop that has it.
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

  /// Has the loop call the function in a moment. Signals that come before it does are one.
  func signal() {
    source.signal()
    // A signal alone doesn't end the loop's sleep; a timer that is due does.
    loop.add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in }, forMode: mode)
  }

  /// Takes the source out of its loop. The loop may be calling the function at this moment: the source lives until the loop's next turn.
  func remove() {
    loop._remove(source, for: mode)
    loop.perform(inModes: [mode]) { [self] in withExtendedLifetime(self) {} }
  }
}
