import Foundation
import URLLoadingSystem

/// The client of the Autobahn test suite: sends back what the fuzzing server sends, case after case.
///
///     WebSocketConformance PORT [FIRST [LAST]]
@main
struct WebSocketConformance {
  private static let agent = "URLLoadingSystem"

  let session: URLSession
  let ends: TaskEnds
  let root: String

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard let port = arguments.first else {
      print("usage: WebSocketConformance PORT [FIRST [LAST]]")
      exit(64)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.webSocketCompression = .offered
    // A case that hangs ends some time.
    configuration.timeoutIntervalForResource = 900
    let ends = TaskEnds()
    let session = URLSession(configuration: configuration, delegate: ends, delegateQueue: nil)
    let client = WebSocketConformance(session: session, ends: ends, root: "ws://127.0.0.1:\(port)")
    guard let count = await client.caseCount() else {
      print("the fuzzing server doesn't answer")
      exit(1)
    }
    let (first, last) = (arguments.dropFirst().first ?? 1, arguments.dropFirst(2).first ?? count)
    guard first >= 1, first <= last, last <= count else {
      print("there are cases from 1 to \(count)")
      exit(64)
    }
    for number in first...last {
      await client.echo("/runCase?case=\(number)&agent=\(agent)")
      if number % 20 == 0 || number == last { say("\(number) of \(last) cases") }
    }
    await client.echo("/updateReports?agent=\(agent)")
    await client.echo("/stopServer")
  }

  /// At once, also where a file or pipe is written to.
  private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private func task(_ path: String) -> URLSessionWebSocketTask? {
    guard let url = URL(string: root + path) else { return nil }
    let task = session.webSocketTask(with: url)
    task.maximumMessageSize = 1 << 26
    return task
  }

  private func caseCount() async -> Int? {
    guard let task = task("/getCaseCount") else { return nil }
    task.resume()
    guard case .string(let text)? = try? await task.receive() else { return nil }
    await ends.end(of: task)
    return Int(text)
  }

  /// Until the server has had enough: most cases end with an error on purpose.
  private func echo(_ path: String) async {
    guard let task = task(path) else { return }
    task.resume()
    do {
      for try await message in task.messages { try await task.send(message) }
    } catch {}
    // The server begins the next case once the connection of this one has ended, which it has when the task has.
    await ends.end(of: task)
  }
}
