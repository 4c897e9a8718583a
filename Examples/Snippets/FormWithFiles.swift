import Foundation
import URLLoadingSystem

/// Sends a photo with a caption, as a browser's form does, and returns the status.
public func post(photo: URL, caption: String, to url: URL, session: URLSession = .shared) async throws -> Int {
  var form = URLSessionMultipartFormData()
  form.append(caption, name: "caption")
  try form.append(file: photo, name: "photo", contentType: "image/jpeg")
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  let (_, response) = try await session.upload(for: request, multipart: form)
  guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  return response.statusCode
}
