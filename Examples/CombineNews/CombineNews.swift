#if Combine
  import Combine
  import CombineChains
  import Foundation

  /// Prints the titles of the articles in JSON feeds, as they arrive, with Combine.
  ///
  ///     CombineNews URL [URL …]
  @main enum CombineNews {
    static func main() {
      let feeds = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }
      guard !feeds.isEmpty else {
        print("usage: CombineNews URL [URL ...]")
        exit(2)
      }
      let handle = URLSession.shared.articles(fromAll: feeds)
        .flatMap(\.publisher)
        .map { "\($0.id)\t\($0.title)" }
        .receive(on: DispatchQueue.main)
        .sink { _ in
          exit(0)
        } receiveValue: {
          print($0)
        }
      withExtendedLifetime(handle) { dispatchMain() }
    }
  }
#else
  @main enum CombineNews {
    static func main() { print("Build it with the package's trait: swift run --traits Combine CombineNews URL") }
  }
#endif
