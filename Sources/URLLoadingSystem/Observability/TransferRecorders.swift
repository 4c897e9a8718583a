import CLoadingProcess
import LoadingModel
import struct Synchronization.Atomic

/// Holds the recorder for all sessions of the process that have none of their own. Thread-safe.
package enum TransferRecorders {
  package static let variable = "URL_LOADING_INSPECT"

  private static let isOn = Atomic(false)
  private static let recorder = Mutex<(any TransferRecording)?>(nil)

  /// The recorder; nil if there is none, for which a load only reads one flag.
  package static var ofProcess: (any TransferRecording)? {
    get { isOn.load(ordering: .relaxed) ? recorder.withLock { $0 } : nil }
    set {
      recorder.withLock { $0 = newValue }
      isOn.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// Starts the inspector, if it is linked and the environment variable asks for it: done once, before the process's first session.
  static let readEnvironment: Void = {
    guard let value = ProcessEnvironment.value(variable), !["", "off", "no", "false", "none"].contains(value.lowercased()) else { return }
    if uls_inspect(value) == 0 {
      DiagnosticLines.toStandardError("URLLoadingSystem: \(variable) needs the product URLLoadingInspector, which isn't linked.\n")
    }
  }()
}
