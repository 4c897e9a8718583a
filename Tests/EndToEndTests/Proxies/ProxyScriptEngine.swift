import CLoadingProxyScript
import Foundation

/// The engine of proxy scripts, without a session around it.
final class ProxyScriptEngine {
  enum Outcome: Equatable {
    case answer(String)
    /// The script's own failure.
    case failed(String)
    /// The engine was ended, or has ended itself: by time or by memory.
    case ended
  }

  /// Whether scripts can be run: the package was built with its trait PAC, or `scripts/tests/test-pac` has brought an engine.
  static let isAvailable: Bool = {
    if let library = ProcessInfo.processInfo.environment["PROXY_SCRIPT_ENGINE"] { return uls_script_use(library) != 0 }
    return uls_script_is_available() != 0
  }()

  private var engine: OpaquePointer?
  private(set) var outcome: Outcome
  private let patience: Int32

  /// - Parameter patience: Milliseconds.
  init(_ script: String, memory: Int = 32 << 20, patience: Int32 = 60_000) {
    var status: Int32 = 0
    var text = [CChar](repeating: 0, count: 4096)
    self.patience = patience
    engine = uls_script_start(script, script.utf8.count, memory, patience, &status, &text, text.count)
    outcome = ProxyScriptEngine.outcome(status, text)
  }

  deinit { if let engine { uls_script_stop(engine) } }

  func ask(_ host: String, url: String = "http://a.test/") -> Outcome {
    guard let engine else { return outcome }
    var text = [CChar](repeating: 0, count: 4096)
    outcome = ProxyScriptEngine.outcome(uls_script_ask(engine, url, host, patience, &text, text.count), text)
    if outcome == .ended {
      uls_script_stop(engine)
      self.engine = nil
    }
    return outcome
  }

  private static func outcome(_ status: Int32, _ text: [CChar]) -> Outcome {
    let text = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    switch Int(status) {
    case Int(ULS_SCRIPT_OK): return .answer(text)
    case Int(ULS_SCRIPT_SCRIPT_FAILED): return .failed(text)
    default: return .ended
    }
  }
}
