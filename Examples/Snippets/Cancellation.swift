import Foundation
import URLLoadingSystem

/// Starts a load and gives it up at once; true if it ended as cancelled loads do.
public func cancelledLoadThrows(_ url: URL) async -> Bool {
  let load = Task { try await URLSession.shared.data(from: url) }
  load.cancel()
  do {
    _ = try await load.value
    return false
  } catch let error as URLError {
    return error.code == .cancelled
  } catch {
    return error is CancellationError
  }
}

/// The same with a task object and a completion handler.
public func cancelledTaskCompletes(_ url: URL) async -> (any Error)? {
  await withCheckedContinuation { continuation in
    let task = URLSession.shared.dataTask(with: url) { _, _, error in continuation.resume(returning: error) }
    task.resume()
    task.cancel()
  }
}
