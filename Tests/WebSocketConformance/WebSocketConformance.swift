import Foundation
import URLLoadingSystem

/// The client of the Autobahn test suite: sends back what the fuzzing server sends, case after case.
///
///     WebSocketConformance PORT [FIRST [LAST]]
@main
struct WebSocketConformance {
  private static let agent = "URLLoadingSystem"

  let session: URLSession
  let root: String

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard let port = arguments.first else {
      print("usage: WebSocketConformance PORT [FIRST [LAST]]")
      exit(64)
    }
    let configuration = URLSessionConfiguration.ephemeral
    // A case that hangs ends some time.
    configuration.timeoutIntervalForResource = 900
    let client = WebSocketConformance(session: URLSession(configuration: configuration), root: "ws://127.0.0.1:\(port)")
    guard let count = await client.caseCount() else {
      print("the fuzzing server doesn't answer")
      exit(1)
    }
    let (first, last) = (arguments.dropFirst().first ?? 1, arguments.dropFirst(2).first ?? count)
    for number in first...max(first, last) {
      await client.echo("/runCase?case=\(number)&agent=\(agent)")
      if number % 50 == 0 { print("\(number) of \(last) cases") }
    }
    await client.echo("/updateReports?agent=\(agent)")
    await client.echo("/stopServer")
  }

  private func task(_ path: String) -> URLSessionWebSocketTask? {
    guard let url = URL(string: root + path) else { return nil }
    let task = session.webSocketTask(with: url)
    task.maximumMessageSize = 1 << 26
    task.resume()
    return task
  }

  private func caseCount() async -> Int? {
    guard case .string(let text)? = try? await task("/getCaseCount")?.receive() else { return nil }
    return Int(text)
  }

  /// Until the server has had enough: most cases end with an error on purpose.
  private func echo(_ path: String) async {
    guard let task = task(path) else { return }
    do {
      for try await message in task.messages { try await task.send(message) }
    } catch {}
    // The connection has ended when the task has.
    while task.state != .completed { try? await Task.sleep(for: .milliseconds(1)) }
  }
}
