import Foundation
import LoadingModel
import URLLoadingTestKit

/// A server's side of the test: answers ranges, breaks off every third answer somewhere, and counts.
final class FaultyServing: Sendable {
  private struct State {
    var numbers: SystemRandomNumberGenerator
    var requests = 0
    var isOver = false
    var waiting: (count: Int, CheckedContinuation<Void, Never>)?
    /// Bodies that came whole, by name, and those that weren't what was sent.
    var uploads: [String: Int] = [:]
    var wrong: [String] = []
  }

  private let sizes: [String: Int]
  private let state = Mutex(State(numbers: SystemRandomNumberGenerator()))

  init(_ jobs: [KillGround.Job]) { sizes = Dictionary(jobs.map { ($0.name, $0.size) }, uniquingKeysWith: { $1 }) }

  var wrong: [String] { state.withLock { $0.wrong } }
  var requests: Int { state.withLock { $0.requests } }
  func uploads(of name: String) -> Int { state.withLock { $0.uploads[name] ?? 0 } }

  func route(_ server: TestServer) {
    server.route("/down/{name}") { [self] request in download(request) }
    server.route("/up/{name}") { [self] request in upload(request) }
  }

  /// Returns when `count` requests more have come, or `end()` was called.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.waiting = (state.requests + count, continuation) }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
  }

  /// No more requests are waited for.
  func end() {
    let waiting = state.withLock { state in
      defer { (state.waiting, state.isOver) = (nil, true) }
      return state.waiting
    }
    waiting?.1.resume()
  }

  /// - Returns: Where to break off; nil to answer whole.
  private func count(_ size: Int) -> Int? {
    let (waiting, cut) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Int?) in
      state.requests += 1
      let cut = Int.random(in: 0..<3, using: &state.numbers) == 0 ? Int.random(in: 0...max(0, size - 1), using: &state.numbers) : nil
      guard let waiting = state.waiting, state.requests >= waiting.count else { return (nil, cut) }
      state.waiting = nil
      return (waiting.1, cut)
    }
    waiting?.resume()
    return cut
  }

  private func download(_ request: RecordedRequest) -> Reply {
    let name = request.parameters["name"] ?? ""
    let size = sizes[name] ?? 0
    let range = request.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" }
    let offset = range.flatMap { Int($0) }.flatMap { $0 < size ? $0 : nil } ?? 0
    var reply = Reply(offset > 0 ? 206 : 200, headers: ["ETag": "\"\(name)\""], body: .pattern(from: offset, count: size - offset))
    if offset > 0 { reply.headers["Content-Range"] = "bytes \(offset)-\(size - 1)/\(size)" }
    guard let cut = count(size - offset) else { return reply }
    return reply.with(cut == 0 ? .disconnectBeforeHeaders : .disconnectAfterBodyBytes(cut))
  }

  private func upload(_ request: RecordedRequest) -> Reply {
    let name = request.parameters["name"] ?? ""
    if count(1000) != nil { return Reply(200).with(.disconnectBeforeHeaders) }
    let isRight = request.bodyLength == sizes[name] && AlphabetPattern.match(request.body, at: 0)
    state.withLock { state in
      state.uploads[name, default: 0] += 1
      if !isRight { state.wrong.append(name) }
    }
    return .text("taken")
  }
}
