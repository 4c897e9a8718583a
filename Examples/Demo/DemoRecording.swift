#if TestKit
  import Foundation
  import URLLoadingInspector

  /// The transfers of a demonstration, as a file that stays; without the package trait `Inspector`, none.
  struct DemoRecording {
    #if Inspector
      private let inspector = URLSessionInspector.recordAll()
    #endif

    /// Writes the file.
    /// - Parameter say: Told where it is, or why it isn't.
    func write(_ say: (String) -> Void) {
      #if Inspector
        let transfers = inspector.transfers.filter(\.isEnded)
        let file = FileManager.default.temporaryDirectory.appending(path: "url-loading-demo-\(getpid()).har")
        do {
          let archive = HARDocument.data(transfers)
          // It has credentials in it, if only those of the demonstration.
          guard FileManager.default.createFile(atPath: file.path, contents: archive, attributes: [.posixPermissions: 0o600]) else {
            throw DemoFailure("“\(file.path)” can't be written")
          }
          say("\nThe \(transfers.count) transfers, for 'urlload inspect' or a browser:\n  \(file.path)")
        } catch {
          say("\nThe transfers weren't written: \(DemoStep.text(error))")
        }
      #endif
    }
  }
#endif
