import BackgroundTransfers
import Foundation

/// What a task of a background session keeps beside the usual fields, so that the app can hand it to the daemon again.
struct CarriedFields: Sendable {
  let source: SourceFile?
  let resumeData: Data?
}
