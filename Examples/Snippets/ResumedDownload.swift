import Foundation
import URLLoadingSystem

/// Downloads a file to `destination`; resumes where the transfer broke, up to `attempts` times.
///
/// The resume data may just as well be written down and used by a later run of the app.
public func download(
  _ url: URL, to destination: URL, attempts: Int = 5, configuration: URLSessionConfiguration = .default
) async throws {
  let session = URLSession(configuration: configuration)
  defer { session.finishTasksAndInvalidate() }
  var resumeData: Data?
  for attempt in 1...max(1, attempts) {
    do {
      let (file, response) =
        if let resumeData { try await session.download(resumeFrom: resumeData) } else { try await session.download(from: url) }
      // An error page is a file, too.
      guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
        try FileManager.default.removeItem(at: file)
        throw URLError(.badServerResponse)
      }
      return try FileManager.default.moveItem(at: file, to: destination)
    } catch let error as URLError {
      guard let data = error.downloadTaskResumeData, attempt < attempts else { throw error }
      resumeData = data
    }
  }
}
