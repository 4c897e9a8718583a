import CLoadingProcess
import Foundation
import LoadingModel
import ProtocolRules

extension DesktopProxies {
  /// Bytes of settings that are read.
  private static let limit = 64 * 1024
  /// Milliseconds for `gsettings`.
  private static let patience: Int32 = 5_000

  /// The settings as they are now. Blocks: a file is read, or a program run.
  ///
  /// A desktop without them (no file, no `gsettings`, no schema) has no proxies.
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

  /// `body`'s result for a list of C's, which ends with NULL.
  private static func withCStrings(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int) -> Int {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let list = copies.map { UnsafePointer($0) } + [nil]
    return list.withUnsafeBufferPointer { list in list.baseAddress.map(body) ?? Int(ULS_TOOL_FAILED) }
  }
}
