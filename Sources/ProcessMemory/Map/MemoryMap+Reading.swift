import Foundation

extension MemoryMap {
  /// Reads the regions of a process.
  ///
  /// The process continues to run meanwhile, so the numbers are exact only for a stopped process. Reading the memory itself needs the right to trace
  /// the process; without it, malloc's memory and stacks are recognized less reliably.
  /// - Parameter process: The process ID; may be that of this process.
  /// - Throws: `MapFailure`.
  package static func read(_ process: Int32) throws(MapFailure) -> MemoryMap {
    let files = ProcessFiles(process: process)
    guard process > 0, let state = files.state else { throw .absent(process) }
    if state.hasEnded { throw .ended(process) }
    if state.isKernelThread { throw .kernelThread(process, name: state.name) }
    let threads = files.threads
    let text = MapText(try files.smaps())
    // A process that is ending may have no regions any more when the kernel is asked for them.
    if text.regions.isEmpty { throw files.state.map { $0.hasEnded ? .ended(process) : .forbidden(process) } ?? .absent(process) }
    let memory = ProcessWords(process: process)
    let split = GuardedRegions.split(text.regions, in: PageMap(process: process))
    let regions = RegionClassification.mapped(split, threads: threads, stackSize: files.stackSize) { memory.read($0, $1) }
    return MemoryMap(
      process: process, name: state.name, threads: threads.count, regions: regions, unreadableLines: text.unreadableLines)
  }
}

extension ProcessFiles {
  fileprivate func smaps() throws(MapFailure) -> [UInt8] {
    switch bytes("smaps") {
    case .success(let text): return text
    case .failure(let error) where error.code == EACCES || error.code == EPERM: throw .forbidden(process)
    case .failure(let error) where error.code == ESRCH || (error.code == ENOENT && state == nil): throw .absent(process)
    case .failure(let error): throw .unreadable(path: "/proc/\(process)/smaps", code: error.code)
    }
  }
}
