import Foundation
import URLLoadingInspector

/// The transfers of a demonstration, as files that stay; without the package trait `Inspector`, none.
struct DemoRecording {
  #if Inspector
    private let inspector = URLSessionInspector.recordAll()
  #endif

  /// Writes the files.
  /// - Parameter say: Told where they are, or why they aren't.
  func write(_ say: (String) -> Void) {
    #if Inspector
      let folder = FileManager.default.temporaryDirectory.appending(path: "urlload-demo-\(getpid())")
      do throws(ToolFailure) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let transfers = inspector.transfers.filter(\.isEnded)
        let (archive, picture) = (folder.appending(path: "transfers.har").path, folder.appending(path: "waterfall.svg").path)
        try RecordingFile.write(HARDocument.data(transfers), to: archive)
        try RecordingFile.writeWaterfall(transfers, to: picture)
        say("\nThe \(transfers.count) transfers, for 'urlload inspect' or a browser, and their waterfall:\n  \(archive)\n  \(picture)")
      } catch {
        say("\nThe transfers weren't written: \(error.message)")
      }
    #endif
  }
}
