import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// The classes registered with `URLProtocol.registerClass`, which `URLSession.shared` asks. Thread-safe.
final class RegisteredProtocols: Sendable {
  static let shared = RegisteredProtocols()

  private let classes = Mutex<[URLProtocol.Type]>([])

  func add(_ protocolClass: URLProtocol.Type) { classes.withLock { $0.append(protocolClass) } }

  func remove(_ protocolClass: AnyClass) {
    classes.withLock { classes in
      if let index = classes.lastIndex(where: { $0 == protocolClass }) { classes.remove(at: index) }
    }
  }

  /// The classes in the order in which they are asked: the last registered one first.
  var inOrder: [URLProtocol.Type] { classes.withLock { $0.reversed() } }
}

/// The protocol classes to which a session's loads are offered, in order; built-in classes represent the engine's own handlers.
struct ProtocolClasses: @unchecked Sendable {
  // @unchecked: immutable: metatypes and two truth values.
  private let configured: [URLProtocol.Type]
  private let includesRegistered: Bool
  private let hasCustom: Bool

  init(_ classes: [AnyClass]?, includesRegistered: Bool) {
    configured = (classes ?? []).compactMap { $0 as? URLProtocol.Type }
    hasCustom = configured.contains { !($0 is BuiltInProtocol.Type) }
    self.includesRegistered = includesRegistered
  }

  /// Whether there are classes of the app's to ask.
  var mayApply: Bool { hasCustom || (includesRegistered && !RegisteredProtocols.shared.inOrder.isEmpty) }

  /// A handler for the first class that accepts the load; nil if a built-in class accepts it first, or none does.
  func handler(for task: URLSessionTask) async -> (any ProtocolHandler)? {
    let registered = includesRegistered ? RegisteredProtocols.shared.inOrder : []
    let candidates = registered + configured
    return await withCheckedContinuation { continuation in
      // `canInit` is the app's code and may block: it must not run on an event loop.
      DispatchQueue(label: "URLProtocol.canInit").async {
        for candidate in candidates where candidate.canInit(with: task) {
          let handler = candidate is BuiltInProtocol.Type ? nil : CustomProtocolHandler(candidate, task)
          return continuation.resume(returning: handler)
        }
        continuation.resume(returning: nil)
      }
    }
  }
}

/// A class of `protocolClasses` that represents schemes which the engine loads itself. It is never instantiated.
class BuiltInProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  class var schemes: Set<String> { [] }

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme.map { schemes.contains($0.lowercased()) } ?? false
  }
}

/// The schemes `http` and `https`, and for Unix sockets `http+unix` and `https+unix`.
final class HTTPURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["http", "https", "http+unix", "https+unix"] }
}

/// The scheme `data`.
final class DataURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["data"] }
}

/// The scheme `file`.
final class FileURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["file"] }
}

/// The default value of `URLSessionConfiguration.protocolClasses`.
enum BuiltInProtocols {
  static var classes: [AnyClass] { [HTTPURLProtocol.self, DataURLProtocol.self, FileURLProtocol.self] }
}
