import Foundation
import LoadingModel

extension SessionSettings {
  /// The default `User-Agent`: process name and library version, as Apple's names the app and CFNetwork.
  static let userAgent: String = {
    let process = ProcessInfo.processInfo.processName.unicodeScalars.filter {
      $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || "-._".unicodeScalars.contains($0))
    }
    let name = String(String.UnicodeScalarView(process))
    return "\(name.isEmpty ? "app" : name)/1 URLLoadingSystem/\(LibraryVersion.current)"
  }()
}
