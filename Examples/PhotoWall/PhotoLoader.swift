#if Combine && TestKit
  import Combine
  import Foundation
  import HeadlessUIKit

  /// A photo that has arrived.
  struct Photo: @unchecked Sendable {
    // @unchecked: the image isn't changed.
    let url: URL
    let image: UIImage
    /// Whether it came from the cache.
    let isCached: Bool
  }

  /// Loads photos by one session, with a cache of its own. Each that arrives is a notification as well.
  final class PhotoLoader: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    // @unchecked: what changes is behind a lock.
    static let photoHasArrived = Notification.Name("PhotoLoader.photoHasArrived")

    /// The loads together.
    let progress = Progress(totalUnitCount: 0)
    private let cached = CachedURLs()
    private(set) lazy var session: URLSession = {
      let configuration = URLSessionConfiguration.default
      configuration.urlCache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0)
      return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    /// The photos in the order in which they arrive; those that can't be loaded are left out.
    func photos(_ urls: [URL]) -> AnyPublisher<Photo, Never> {
      progress.totalUnitCount += Int64(urls.count)
      return urls.publisher
        .flatMap(maxPublishers: .max(6)) { [session, cached] url in
          session.dataTaskPublisher(for: url)
            .tryMap { data, _ in
              guard let image = UIImage(data: data) else { throw URLError(.cannotDecodeContentData) }
              return Photo(url: url, image: image, isCached: cached.contains(url))
            }
            .catch { _ in Empty<Photo, Never>() }
        }
        .handleEvents(receiveOutput: {
          NotificationCenter.default.post(name: PhotoLoader.photoHasArrived, object: nil, userInfo: ["url": $0.url])
        })
        .eraseToAnyPublisher()
    }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { progress.addChild(task.progress, withPendingUnitCount: 1) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      guard let url = task.originalRequest?.url, metrics.transactionMetrics.last?.resourceFetchType == .localCache else { return }
      cached.insert(url)
    }
  }

  /// URLs that the cache has answered.
  private final class CachedURLs: @unchecked Sendable {
    // @unchecked: behind the lock.
    private let lock = NSLock()
    private var urls: Set<URL> = []

    func insert(_ url: URL) { lock.withLock { _ = urls.insert(url) } }

    func contains(_ url: URL) -> Bool { lock.withLock { urls.contains(url) } }
  }
#endif
