import CLoadingProxyScript
import Foundation
import HTTPTransport
import LoadingModel
import NIOPosix
import ProtocolRules

/// Runs a proxy script (PAC) in a process of its own, with limited time and memory and without access to this process.
///
/// The script's engine is used only on a thread of its own.
final class ProxyScriptProcess: @unchecked Sendable {
  // @unchecked: `engine`, `deaths` and `lastDeath` are used on the script's thread alone, and by `deinit`, which runs after its last block:
  // each block holds the object. The rest is immutable.

  private let script: String
  private var engine: OpaquePointer?
  private var deaths = 0
  private var lastDeath = ContinuousClock.now
  private let thread = NIOThreadPool(numberOfThreads: 1)

  static var isAvailable: Bool { uls_script_is_available() != 0 }

  init(_ script: String) {
    self.script = script
    thread.start()
  }

  deinit {
    thread.shutdownGracefully { _ in }
    if let engine { uls_script_stop(engine) }
  }

  /// The result of the script's `FindProxyForURL` for an origin. The script gets neither path nor query of the URL: they stay private.
  func answer(for origin: Origin) async -> Result<String, LoadError> {
    await withUnsafeContinuation { continuation in
      thread.submit { _ in continuation.resume(returning: self.ask(origin)) }
    }
  }

  private func ask(_ origin: Origin) -> Result<String, LoadError> {
    var text = [CChar](repeating: 0, count: ProxyScriptLimits.answer)
    var status = Int32(0)
    if engine == nil {
      if deaths >= ProxyScriptLimits.deaths, lastDeath.duration(to: .now) < ProxyScriptLimits.rest {
        return .failure(Self.failure("it has failed too often, and is tried again in a minute"))
      }
      engine = uls_script_start(
        script, script.utf8.count, ProxyScriptLimits.memory, ProxyScriptLimits.patience, &status, &text, text.count)
    }
    if let engine {
      let url = ConnectRules.root(of: origin)
      status = uls_script_ask(engine, url, origin.host, ProxyScriptLimits.patience, &text, text.count)
    }
    let answer = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    switch Int(status) {
    case Int(ULS_SCRIPT_OK):
      deaths = 0
      return .success(answer)
    case Int(ULS_SCRIPT_SCRIPT_FAILED): return .failure(Self.failure(String(answer.prefix(200))))
    default:
      if let engine { uls_script_stop(engine) }
      engine = nil
      deaths += 1
      lastDeath = .now
      return .failure(
        Self.failure(Int(status) == Int(ULS_SCRIPT_TIMED_OUT) ? "it took longer than 5 seconds" : "it needed too much memory or time"))
    }
  }

  static func failure(_ reason: String) -> LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, "the proxy script (PAC) failed: \(reason)")
    error.proxy = ProxyFault(.scriptFailed)
    return error
  }
}
