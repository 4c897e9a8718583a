import BackgroundTransfers
import Foundation

/// What a task that the daemon carries keeps besides: what is needed to hand it over once more.
struct CarriedFields: Sendable {
  let source: SourceFile?
  let resumeData: Data?
}
