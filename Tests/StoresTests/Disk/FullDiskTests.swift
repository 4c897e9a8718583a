import ChildProcesses
import Foundation
import Testing

/// Stores on a disk that is really full (ENOSPC). Each child process has a small one for itself and runs one test of `FullDiskChildTests`.
@Suite(.enabled(if: SmallDisk.here == nil), .timeLimit(.minutes(10))) struct FullDiskTests {
  @Test(
    .enabled(if: SmallDisk.isPermitted, "processes may not mount a disk of their own here"),
    arguments: [
      "cookiesOutliveAFullDisk", "cookieStoreOpenedOnAFullDiskIsReadWhenThereIsRoom", "cacheOutlivesAFullDisk",
      "cacheOpenedOnAFullDiskComesIntoUseWhenThereIsRoom", "whatAFullDiskRefusedToReplaceDoesNotComeBack",
      "credentialsOutliveAFullDisk", "hostsThatAskForTLSOutliveAFullDisk",
    ])
  func storesOutliveAFullDisk(child: String) async throws {
    let folder = TemporaryFolder()
    let process = try SmallDisk.child(running: "FullDiskChildTests/\(child)", on: folder.url, size: 3 << 20)
    #expect(await process.end() == .exit(0))
  }
}
