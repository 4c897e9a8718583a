import Foundation
import URLLoadingSystem

/// Loads a text and checks the answer's status and media type before using it.
public func loadText(from url: URL, completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
  let task = URLSession.shared.dataTask(with: url) { data, response, error in
    if let error {
      completion(.failure(error))
      return
    }
    guard let http = response as? HTTPURLResponse, (200...299).contains(http.statusCode) else {
      completion(.failure(URLError(.badServerResponse)))
      return
    }
    guard http.mimeType == "application/json" || http.mimeType == "text/plain", let data else {
      completion(.failure(URLError(.cannotDecodeContentData)))
      return
    }
    completion(.success(String(decoding: data, as: UTF8.self)))
  }
  task.resume()
}
