import BackgroundTransfers
import Foundation
import LoadingModel
import Testing

/// The other end of a connection to the daemon: an app, a tool, or something hostile.
final class Peer: Sendable {
  let link: MessageLink
  private let messages: AsyncStream<DaemonMessage>
  private let heard = Mutex<[DaemonMessage]>([])

  init(_ link: MessageLink) {
    self.link = link
    let (messages, arriving) = AsyncStream.makeStream(of: DaemonMessage.self)
    self.messages = messages
    link.start { pieces in
      for piece in pieces {
        if let message = try? MessageCoding.decode(DaemonMessage.self, from: piece) { arriving.yield(message) }
      }
    } ended: { _ in
      arriving.finish()
    }
  }

  deinit { link.close() }

  func send(_ message: AppMessage) { link.send(message) }

  func send(_ messages: AppMessage...) { for message in messages { link.send(message) } }

  /// The next message of which `pick` makes something; others are passed over, and kept in `passed`.
  func next<Value>(_ what: String, _ pick: (DaemonMessage) throws -> Value?) async throws -> Value {
    var iterator = messages.makeAsyncIterator()
    while let message = await iterator.next() {
      heard.withLock { $0.append(message) }
      if let value = try pick(message) { return value }
      if case .refused(let refusal) = message { throw refusal }
    }
    throw TestFailure(text: "the connection has ended before \(what)")
  }

  /// All messages so far.
  var passed: [DaemonMessage] { heard.withLock { $0 } }

  /// Returns when the daemon has closed the connection.
  func end() async {
    var iterator = messages.makeAsyncIterator()
    while let message = await iterator.next() { heard.withLock { $0.append(message) } }
  }

  // MARK: an app

  @discardableResult func attached() async throws -> SessionSnapshot {
    try await next("attached") { if case .attached(let snapshot) = $0 { snapshot } else { nil } }
  }

  func caughtUp() async throws {
    try await next("caughtUp") { if case .caughtUp = $0 { () } else { nil } }
  }

  func event(of task: Int? = nil) async throws -> TransferEvent {
    try await next("event") { if case .event(let event) = $0, task == nil || event.task == task { event } else { nil } }
  }

  func refusal() async throws -> Refusal {
    try await next("refused") { if case .refused(let refusal) = $0 { refusal } else { nil } }
  }

  func created(_ task: Int) async throws {
    try await next("created") { if case .created(task) = $0 { () } else { nil } }
  }

  func progress(_ isEnough: (TransferProgress) -> Bool) async throws -> TransferProgress {
    try await next("progress") { if case .progress(let progress) = $0, isEnough(progress) { progress } else { nil } }
  }

  /// Makes a task and lets it begin.
  func begin(_ order: TransferOrder) { send(.create(order), .resume(task: order.task)) }

  /// Returns when the daemon has dealt with what was sent before.
  func barrier(task: Int) async throws {
    send(.create(TransferOrder.download(task, URL(string: "http://127.0.0.1:9/barrier"))))
    try await created(task)
  }

  // MARK: a tool

  func ask(_ request: ToolRequest) async throws -> ToolReply {
    send(.tool(request))
    return try await reply()
  }

  func reply() async throws -> ToolReply {
    try await next("tool") { if case .tool(let reply) = $0 { reply } else { nil } }
  }

  /// The list, once it is as `isMet` wants it.
  func list(until isMet: ([TransferListing]) -> Bool) async throws -> [TransferListing] {
    send(.tool(.watch(nil)))
    return try await next("list") { message in
      if case .tool(.transfers(let list)) = message, isMet(list) { list } else { nil }
    }
  }
}

extension TransferOrder {
  static func download(_ task: Int, _ url: URL?, resumeData: Data? = nil, destination: URL? = nil) -> TransferOrder {
    var order = TransferOrder(task: task, kind: .download, request: Requests.archived(url), shownURL: url?.absoluteString ?? "")
    order.resumeData = resumeData
    order.destination = destination?.path(percentEncoded: false)
    return order
  }

  static func upload(_ task: Int, _ url: URL, of file: URL) throws -> TransferOrder {
    var order = TransferOrder(task: task, kind: .upload, request: Requests.archived(url, method: "POST"), shownURL: url.absoluteString)
    order.source = try SourceFile(at: file)
    return order
  }
}

extension SourceFile {
  init(at file: URL) throws {
    let path = file.path(percentEncoded: false)
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw TestFailure(text: "\(path) isn't there") }
    self.init(
      path: path, device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), size: Int64(facts.st_size),
      modified: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec))
  }
}
