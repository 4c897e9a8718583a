import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// The classes registered for `URLSession.shared`. Thread-safe.
final class RegisteredProtocols: Sendable {
  static let shared = RegisteredProtocols()

  private let classes = Mutex<[URLProtocol.Type]>([])

  func add(_ protocolClass: URLProtocol.Type) { classes.withLock { $0.append(protocolClass) } }

  func remove(_ protocolClass: AnyClass) {
    classes.withLock { classes in
      if let index = classes.lastIndex(where: { $0 == protocolClass }) { classes.remove(at: index) }
    }
  }

  /// In the order of asking: the last registered first.
  var inOrder: [URLProtocol.Type] { classes.withLock { $0.reversed() } }
}

/// The protocol classes that a session's loads are offered to, in order; the built-in ones represent the engine's handlers.
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

  /// Whether there are classes to ask.
  var mayApply: Bool { hasCustom || (includesRegistered && !RegisteredProtocols.shared.inOrder.isEmpty) }

  /// The handler of the first class that wants the load; nil where a built-in one comes first.
  func handler(for task: URLSessionTask) async -> (any ProtocolHandler)? {
    let registered = includesRegistered ? RegisteredProtocols.shared.inOrder : []
    let candidates = registered + configured
    return await withCheckedContinuation { continuation in
      // `canInit` is the app's code: it must not run on an event loop.
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

/// The built-in schemes as the public API shows them. They are never instantiated: the engine loads these schemes itself.
class BuiltInProtocol: URLProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  class var schemes: Set<String> { [] }

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme.map { schemes.contains($0.lowercased()) } ?? false
  }
}

/// `http:` and `https:`, and over Unix sockets `http+unix:` and `https+unix:`.
final class HTTPURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["http", "https", "http+unix", "https+unix"] }
}

/// `data:`.
final class DataURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["data"] }
}

/// `file:`.
final class FileURLProtocol: BuiltInProtocol, @unchecked Sendable {
  // @unchecked: stores nothing, and is never instantiated.
  override class var schemes: Set<String> { ["file"] }
}

/// What `URLSessionConfiguration.protocolClasses` holds at first.
enum BuiltInProtocols {
  static var classes: [AnyClass] { [HTTPURLProtocol.self, DataURLProtocol.self, FileURLProtocol.self] }
}
