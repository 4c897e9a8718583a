import Foundation
import URLLoadingSystem

/// Loads a URL and reports each change of the task's state and progress, as code for Apple's platforms does.
public func loadObserved(
  _ url: URL, stateChanged: @escaping @Sendable (URLSessionTask.State) -> Void, progressChanged: @escaping @Sendable (Double) -> Void,
  completion: @escaping @Sendable (Result<Data, any Error>) -> Void
) {
  let observations = Observations()
  let task = URLSession.shared.dataTask(with: url) { data, _, error in
    observations.end()
    completion(data.map { .success($0) } ?? .failure(error ?? URLError(.unknown)))
  }
  observations.keep(
    task.observe(\.state, options: [.initial, .new]) { task, change in stateChanged(change.newValue ?? task.state) },
    task.progress.observe(\.fractionCompleted, options: [.new]) { _, change in progressChanged(change.newValue ?? 0) })
  task.resume()
}

/// Observations that end together. Apps mostly keep theirs in a property.
private final class Observations: @unchecked Sendable {
  // @unchecked: written before the task is resumed, and read when it has completed.
  private var kept: [NSKeyValueObservation] = []

  func keep(_ observations: NSKeyValueObservation...) { kept = observations }

  func end() {
    for observation in kept { observation.invalidate() }
  }
}
