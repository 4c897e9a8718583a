import Foundation
import URLLoadingSystem

/// Makes a task, suspends it and resumes it; returns the states it went through.
public func suspendAndResume(_ url: URL) async throws -> (states: [URLSessionTask.State], length: Int) {
  let (results, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
  let task = URLSession.shared.dataTask(with: url) { data, _, error in
    if let data { continuation.yield(data) }
    continuation.finish(throwing: error)
  }
  var states = [task.state]
  task.resume()
  task.suspend()
  states.append(task.state)
  task.resume()
  var length = 0
  for try await data in results { length += data.count }
  return (states, length)
}
