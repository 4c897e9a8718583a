import ArgumentParser
import Foundation
import ProcessMemory

/// Failures of `urlload memory`, with messages. Pure.
enum MemoryFailure {
  static func failure(_ failure: MapFailure) -> ToolFailure {
    switch failure {
    case .absent(let process):
      ToolFailure(.other, "there is no process \(process) (any more); 'ps' lists those that run")
    case .ended(let process):
      ToolFailure(.other, "process \(process) has ended: it is a zombie without memory, until its parent asks for its status")
    case .kernelThread(let process, let name):
      ToolFailure(.other, "process \(process) (\(name)) is a thread of the kernel; it has no memory of its own")
    case .forbidden(let process):
      ToolFailure(
        .fileUnreadable, "the memory of process \(process) may not be read; run urlload as its user, or as root")
    case .unreadable(let path, let code):
      ToolFailure(.fileUnreadable, "\(path) can't be read (\(SystemMessage.text(code)))")
    }
  }

  static func document(_ failure: MapDocumentFailure, path: String) -> ToolFailure {
    switch failure {
    case .unreadable:
      ToolFailure(.fileUnreadable, "\(path) isn't what 'urlload memory --json' writes; name such a file, or a time such as 5s")
    case .laterFormat(let format):
      ToolFailure(.fileUnreadable, "\(path) has format \(format), which a later urlload has written; compare it with that one")
    }
  }
}
