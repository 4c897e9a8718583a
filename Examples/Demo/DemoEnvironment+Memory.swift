#if TestKit
  import Foundation
  import LoadingModel
  import Security
  import URLLoadingSystem

  extension DemoEnvironment {
    func login() async throws -> [String] {
      let session = makeSession()
      defer { session.invalidateAndCancel() }
      let url = plain.url("/basic-auth/ada/lovelace")
      let (_, refused) = try await session.data(from: url)
      let before = (refused as? HTTPURLResponse)?.statusCode ?? 0
      try demand(before == 401, "status \(before) without a login")
      let answerer = ChallengeAnswerer(URLCredential(user: "ada", password: "lovelace", persistence: .forSession))
      _ = try ok(try await session.data(from: url, delegate: answerer).1)
      // The session knows the login now.
      _ = try ok(try await session.data(from: url).1)
      return ["401 without a login; 200 with one from the delegate, asked \(answerer.count) time; 200 afterwards without asking"]
    }

    func cookies() async throws -> [String] {
      let session = makeSession()
      defer { session.invalidateAndCancel() }
      let (data, response) = try await session.data(from: plain.url("/cookies/set?flavour=oatmeal"))
      _ = try ok(response)
      let text = String(decoding: data, as: UTF8.self)
      try demand(text.contains("oatmeal"), "the server got \(text)")
      let kept = session.configuration.httpCookieStorage?.cookies ?? []
      return [
        "set by a redirect, sent with the next request: \(text)", "kept: \(kept.map { "\($0.name) for \($0.domain)\($0.path)" }.joined())",
      ]
    }

    func cacheHit() async throws -> [String] {
      let session = makeSession { $0.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, directory: nil) }
      defer { session.invalidateAndCancel() }
      let url = plain.url("/cache/60?demo=\(UUID().uuidString)")
      let (first, _) = try await session.data(from: url)
      let observer = LoadObserver()
      let begin = Date()
      let (second, _) = try await session.data(from: url, delegate: observer)
      let time = DemoText.duration(Date().timeIntervalSince(begin))
      let type = observer.metrics?.transactionMetrics.last?.resourceFetchType
      try demand(type == .localCache && first == second, "the second load went to the network")
      return ["\(first.count) bytes from the server, then the same from the cache in \(time)"]
    }

    func pinning() async throws -> [String] {
      let session = makeSession()
      defer { session.invalidateAndCancel() }
      let url = secure.url("/get", host: "localhost")
      let reader = PinningDelegate(nil)
      _ = try ok(try await session.data(from: url, delegate: reader).1)
      guard let pin = reader.seen else { throw DemoFailure("no certificate was presented") }
      let wary = makeSession()
      defer { wary.invalidateAndCancel() }
      _ = try ok(try await wary.data(from: url, delegate: PinningDelegate(pin)).1)
      let other = makeSession()
      defer { other.invalidateAndCancel() }
      let error = try await failure { _ = try await other.data(from: url, delegate: PinningDelegate(Data(repeating: 0, count: 32))) }
      return ["with the server's own certificate pinned: 200", "with another: \(DemoStep.text(error))"]
    }

    func transportSecurity() async throws -> [String] {
      let session = makeSession { $0.appTransportSecurity = URLSessionAppTransportSecurity() }
      defer { session.invalidateAndCancel() }
      guard let url = URL(string: "http://www.example.com/") else { throw DemoFailure("no URL") }
      let error = try await failure { _ = try await session.data(from: url) }
      try demand(error.errorCode == -1022, DemoStep.text(error))
      return [DemoStep.text(error)]
    }
  }

  /// Answers challenges for a login. Counts behind a mutex: it is called on the delegate queue.
  private final class ChallengeAnswerer: NSObject, URLSessionTaskDelegate, Sendable {
    private let credential: URLCredential
    private let asked = Mutex(0)

    init(_ credential: URLCredential) { self.credential = credential }

    var count: Int { asked.withLock { $0 } }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      asked.withLock { $0 += 1 }
      completionHandler(.useCredential, credential)
    }
  }

  /// Insists on one certificate, besides the usual evaluation; without one, writes down what it sees.
  private final class PinningDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private let pin: Data?
    private let presented = Mutex<Data?>(nil)

    init(_ pin: Data?) { self.pin = pin }

    /// The certificate that the server presented.
    var seen: Data? { presented.withLock { $0 } }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let trust = challenge.protectionSpace.serverTrust, let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
        let leaf = chain.first
      else { return completionHandler(.performDefaultHandling, nil) }
      let certificate = SecCertificateCopyData(leaf) as Data
      presented.withLock { $0 = certificate }
      completionHandler(pin == nil || pin == certificate ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
    }
  }
#endif
