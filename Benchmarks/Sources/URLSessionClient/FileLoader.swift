import Foundation
import Measuring

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// Downloads into the temporary file that URLSession makes.
struct DownloadLoader: Loader {
  let session: URLSession

  func load(_ request: URLRequest) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.downloadTask(with: request) { file, response, error in
        continuation.resume(
          with: Result {
            if let error { throw error }
            try requireSuccess(response)
            guard let file else { throw BenchmarkFailure("no file") }
            return try size(of: file)
          })
      }
      task.resume()
    }
  }
}

/// Uploads a file with PUT.
struct UploadLoader: Loader {
  let session: URLSession
  let file: URL

  func load(_ request: URLRequest) async throws -> Int {
    var request = request
    request.httpMethod = "PUT"
    let length = try size(of: file)
    let (session, file, upload) = (session, file, request)
    return try await withCheckedThrowingContinuation { continuation in
      let task = session.uploadTask(with: upload, fromFile: file) { _, response, error in
        continuation.resume(
          with: Result {
            if let error { throw error }
            try requireSuccess(response)
            return length
          })
      }
      task.resume()
    }
  }
}

private func size(of file: URL) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
  guard let size = attributes[.size] as? NSNumber else { throw BenchmarkFailure("no size of \(file.path)") }
  return size.intValue
}
