public import Dispatch

// What Dispatch has on Apple's platforms besides. Disfavoured, so that a toolchain that gains these methods has the word.
extension DispatchQueue {
  /// Runs `workItem` on this queue and waits until it has ended.
  @_disfavoredOverload
  public func asyncAndWait(execute workItem: DispatchWorkItem) { sync(execute: workItem) }

  /// Runs `work` on this queue, waits until it has ended, and returns what it returns.
  @_disfavoredOverload
  public func asyncAndWait<Result>(execute work: () throws -> Result) rethrows -> Result { try sync(execute: work) }

  /// Runs `work` on this queue with these flags, waits until it has ended, and returns what it returns.
  @_disfavoredOverload
  public func asyncAndWait<Result>(flags: DispatchWorkItemFlags, execute work: () throws -> Result) rethrows -> Result {
    try sync(flags: flags, execute: work)
  }
}
