#if Combine
  import Combine
  import Foundation

  /// The articles on a screen. An app's view observes it; `scheduler` is where it is changed, `DispatchQueue.main` in an app.
  public final class ArticleList: ObservableObject {
    @Published public private(set) var articles: [Article] = []
    @Published public private(set) var message: String?

    private let session: URLSession
    private let queue: DispatchQueue
    private var cancellables: Set<AnyCancellable> = []

    public init(session: URLSession = .shared, queue: DispatchQueue = .main) {
      (self.session, self.queue) = (session, queue)
    }

    /// Shows what `url` has, and a message where that fails. The load is cancelled when the list is released.
    public func load(_ url: URL) {
      session.articles(from: url)
        .receive(on: queue)
        .sink { [weak self] completion in
          if case .failure(let error) = completion { self?.message = error.localizedDescription }
        } receiveValue: { [weak self] articles in
          self?.articles = articles
        }
        .store(in: &cancellables)
    }

    /// Shows what `url` has, or nothing where that fails. The load is cancelled when the list is released.
    public func loadOrClear(_ url: URL) {
      session.articles(from: url)
        .replaceError(with: [])
        .receive(on: queue)
        .assign(to: &$articles)
    }
  }
#endif
