#if Combine
  import Foundation
  import OpenCombine
  import URLLoadingSystem

  extension URLSession {
    /// A publisher that loads a request by a data task, one for each subscription, and publishes the data and the response when the task
    /// completes, or fails with its error.
    ///
    /// The task is made and resumed when the subscriber first demands a value. Cancelling the subscription cancels the task; nothing is
    /// published after that. An HTTP status is no error: check the response, for example in `tryMap`.
    public struct DataTaskPublisher: Publisher, Sendable {
      /// The body, empty if there is none, and the response.
      public typealias Output = (data: Data, response: URLResponse)
      /// The task's error.
      public typealias Failure = URLError

      /// The request that is loaded.
      public let request: URLRequest
      /// The session whose data tasks load the request.
      public let session: URLSession

      /// A publisher that loads `request` in `session`.
      public init(request: URLRequest, session: URLSession) {
        (self.request, self.session) = (request, session)
      }

      /// Subscribes; nothing is loaded before the subscriber's first demand.
      public func receive<S: Subscriber>(subscriber: S) where S.Failure == Failure, S.Input == Output {
        subscriber.receive(subscription: DataTaskSubscription(of: self, downstream: subscriber))
      }
    }

    /// A publisher that loads `url` by a data task, one for each subscription.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
      dataTaskPublisher(for: URLRequest(url: url))
    }

    /// A publisher that loads `request` by a data task, one for each subscription.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
      DataTaskPublisher(request: request, session: self)
    }
  }
#endif
