import Foundation

/// The observable properties of a progress at one moment.
struct ProgressValues: Sendable {
  let fractionCompleted: Double
  let completedUnitCount: Int64
  let totalUnitCount: Int64
  let isCancelled: Bool
  let isPaused: Bool
  let isFinished: Bool
  let isIndeterminate: Bool

  init(_ progress: Progress) {
    fractionCompleted = progress.fractionCompleted
    completedUnitCount = progress.completedUnitCount
    totalUnitCount = progress.totalUnitCount
    isCancelled = progress.isCancelled
    isPaused = progress.isPaused
    isFinished = progress.isFinished
    isIndeterminate = progress.isIndeterminate
  }

  /// Foundation's own texts are empty here, so they are made by this type.
  var localizedDescription: String? {
    isIndeterminate ? "" : "\(Int((min(max(fractionCompleted, 0), 1) * 100).rounded(.down)))% completed"
  }

  var localizedAdditionalDescription: String? {
    let formatter = ByteCountFormatter()
    formatter.countStyle = .file
    let completed = formatter.string(fromByteCount: completedUnitCount)
    return isIndeterminate ? completed : "\(completed) of \(formatter.string(fromByteCount: totalUnitCount))"
  }
}
