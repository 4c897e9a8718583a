import Foundation

#if canImport(URLLoadingSystem)
  import URLLoadingSystem
#endif

/// Loads the URL that is its argument, and says what came.
@main
struct Hello {
  static func main() async throws {
    guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
      print("usage: Hello URL")
      exit(64)
    }
    let (data, response) = try await URLSession.shared.data(from: url)
    print("status \((response as? HTTPURLResponse)?.statusCode ?? 0), \(data.count) bytes")
  }
}
