import Foundation
import URLLoadingSystem

/// Sends each question over one WebSocket and collects the answers, one each.
public func answers(to questions: [String], at url: URL) async throws -> [String] {
  let task = URLSession.shared.webSocketTask(with: url)
  task.resume()
  var answers: [String] = []
  for question in questions {
    try await task.send(.string(question))
    if case .string(let text) = try await task.receive() { answers.append(text) }
  }
  task.cancel(with: .normalClosure, reason: nil)
  return answers
}

/// Every text message until the server closes the WebSocket.
public func feed(at url: URL) async throws -> [String] {
  let task = URLSession.shared.webSocketTask(with: url, protocols: ["feed.v1"])
  task.resume()
  var texts: [String] = []
  for try await message in task.messages {
    if case .string(let text) = message { texts.append(text) }
  }
  return texts
}
