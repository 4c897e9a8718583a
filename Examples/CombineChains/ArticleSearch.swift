#if Combine
  import Combine
  import Foundation

  /// A field for searching: results follow what is typed, and a newer search cancels the load of an older one.
  public final class ArticleSearch: ObservableObject {
    /// What is searched for.
    @Published public var text = ""
    /// What was found.
    @Published public private(set) var results: [Article] = []

    /// - Parameters:
    ///   - pause: How long nothing must have been typed before the server is asked.
    ///   - scheduler: Where the pause is measured and `results` is changed; `DispatchQueue.main` in an app.
    public init<S: Scheduler>(
      at url: URL, in session: URLSession = .shared, pause: S.SchedulerTimeType.Stride, scheduler: S
    ) {
      $text
        .debounce(for: pause, scheduler: scheduler)
        .removeDuplicates()
        .filter { !$0.isEmpty }
        .map { text in
          session.articles(from: url.appending(queryItems: [URLQueryItem(name: "text", value: text)]))
            .replaceError(with: [])
        }
        .switchToLatest()
        .receive(on: scheduler)
        .assign(to: &$results)
    }
  }
#endif
