import Foundation
import URLLoadingSystem

/// Delegate of the run's session, which answers all challenges, and takes kept fields out of requests to other servers.
///
/// There is one object for all loads, because a connection whose server was accepted by a delegate against the evaluation (`-k`) serves only that
/// delegate's loads.
final class RunDelegate: NSObject, URLSessionTaskDelegate, Sendable {
  private let plan: RequestPlan

  init(_ plan: RequestPlan) {
    self.plan = plan
    super.init()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = plan.answers.answer(challenge, of: task)
    completionHandler(disposition, credential)
  }

  // Called for streams of events alone: other loads have a delegate of their own for this.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(plan.family?.refusal(of: request.url) != nil ? nil : plan.redirected(request, from: task.originalRequest?.url))
  }
}
