import Foundation
import URLLoadingSystem

/// Loads a URL with a name and password in the request itself; nil if the server refused them.
public func load(_ url: URL, user: String, password: String) async throws -> Data? {
  var request = URLRequest(url: url)
  let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
  request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
  let (data, response) = try await URLSession.shared.data(for: request)
  return (response as? HTTPURLResponse)?.statusCode == 401 ? nil : data
}
