import CLoadingProcess
import Foundation
import LoadingModel
import ProtocolRules

extension DesktopProxies {
  /// The most bytes of settings that are read.
  private static let limit = 64 * 1024
  /// Milliseconds that `gsettings` may take.
  private static let patience: Int32 = 5_000

  /// Reads the desktop's proxy settings. Blocks while a file is read or `gsettings` runs.
  ///
  /// If there are none (no file, no `gsettings`, no schema), there are no proxies.
  package func read() -> ProxySettings {
    switch keeper {
    case .kioslaverc(let folder):
      let file = URL(filePath: folder).appending(path: "kioslaverc")
      guard let handle = try? FileHandle(forReadingFrom: file) else { return ProxySettings() }
      defer { try? handle.close() }
      let data = (try? handle.read(upToCount: DesktopProxies.limit)) ?? Data()
      return ProxySettings(kioslaverc: String(decoding: data, as: UTF8.self)) { variables[$0] ?? ProcessEnvironment.value($0) }
    case .gsettings:
      var output = [CChar](repeating: 0, count: DesktopProxies.limit)
      let variables = variables.map { "\($0.key)=\($0.value)" }
      let count = DesktopProxies.withCStrings(["gsettings", "list-recursively", "org.gnome.system.proxy"]) { arguments in
        DesktopProxies.withCStrings(variables) { uls_tool_output(arguments, $0, &output, output.count, DesktopProxies.patience) }
      }
      guard count >= 0 else { return count == Int(ULS_TOOL_TIMED_OUT) ? .unreadableDesktop : ProxySettings() }
      return ProxySettings(gsettings: String(decoding: output.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
  }

  /// Calls `body` with the texts as a C array of strings that ends with NULL.
  private static func withCStrings(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int) -> Int {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let list = copies.map { UnsafePointer($0) } + [nil]
    return list.withUnsafeBufferPointer { list in list.baseAddress.map(body) ?? Int(ULS_TOOL_FAILED) }
  }
}
