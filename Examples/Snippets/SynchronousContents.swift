import Foundation
import URLLoadingSystem

/// Reads a URL with Foundation's blocking initialiser, on a thread that may wait.
public func blockingContents(of url: URL) async throws -> Data {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Result { try Data(contentsOf: url) })
    }
  }
}
