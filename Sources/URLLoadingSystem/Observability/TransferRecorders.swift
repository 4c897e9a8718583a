import CLoadingProcess
import LoadingModel
import struct Synchronization.Atomic

/// The recorder of all sessions of the process. Thread-safe.
package enum TransferRecorders {
  package static let variable = "URL_LOADING_INSPECT"

  private static let isOn = Atomic(false)
  private static let recorder = Mutex<(any TransferRecording)?>(nil)

  /// nil where there is none. A load without one pays for one read of a flag.
  package static var ofProcess: (any TransferRecording)? {
    get { isOn.load(ordering: .relaxed) ? recorder.withLock { $0 } : nil }
    set {
      recorder.withLock { $0 = newValue }
      isOn.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// Has the inspector, where it is linked, read the environment's variable: once, before the process's first session.
  static let readEnvironment: Void = {
    guard let value = ProcessEnvironment.value(variable), !["", "off", "no", "false", "none"].contains(value.lowercased()) else { return }
    if uls_inspect(value) == 0 {
      DiagnosticLines.toStandardError("URLLoadingSystem: \(variable) needs the product URLLoadingInspector, which isn't linked.\n")
    }
  }()
}
