import Dispatch
import Foundation
import FoundationNetworking

// Forms of code for Apple's URLSession that depend on how an initialiser or a completion handler is declared. Compiled in Swift 5 mode, each
// warning an error.

// MARK: classes that stand in for others in tests

/// A session that is made without a configuration.
@available(*, deprecated, message: "As Apple's initialiser is.")
final class StandInSession: URLSession, @unchecked Sendable {
  var urls: [URL] = []

  override init() {}

  override func dataTask(
    with url: URL, completionHandler: @escaping (Data?, URLResponse?, Error?) -> Void
  ) -> URLSessionDataTask {
    urls.append(url)
    return URLSession.shared.dataTask(with: url, completionHandler: { _, _, _ in })
  }
}

/// As above; what it stores is given, and the superclass's initialiser is called without being said.
@available(*, deprecated, message: "As Apple's initialiser is.")
final class AnsweringSession: URLSession, @unchecked Sendable {
  let data: Data?

  init(data: Data? = nil) { self.data = data }
}

/// A protocol class with what it needs from the start.
final class StandInProtocol: URLProtocol, @unchecked Sendable {
  private let started: Date

  override init(request: URLRequest, cachedResponse: CachedURLResponse?, client: URLProtocolClient?) {
    started = Date()
    super.init(request: request, cachedResponse: cachedResponse, client: client)
  }

  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stand-in" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url else { return }
    let response = HTTPURLResponse(url: url, mimeType: "text/plain", expectedContentLength: 2, textEncodingName: "utf-8")
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("hi".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

/// Objects of which only that they are there counts.
func placeholders() -> [NSObject] {
  [URLResponse(), HTTPURLResponse(), CachedURLResponse(), URLCredential(), URLProtectionSpace(), URLAuthenticationChallenge()]
}

// MARK: completion handlers

/// The caller waits, and so may change what it has captured.
func loadWaiting(_ request: URLRequest, _ session: URLSession) -> (Data?, Int) {
  let done = DispatchSemaphore(value: 0)
  var received: Data?
  var tasks: [URLSessionTask] = []
  session.dataTask(with: request) { data, _, _ in
    received = data
    done.signal()
  }.resume()
  done.wait()
  session.uploadTask(with: request, from: Data()) { data, _, _ in
    received = data
    done.signal()
  }.resume()
  done.wait()
  session.downloadTask(with: request) { file, _, _ in
    received = file.flatMap { try? Data(contentsOf: $0) }
    done.signal()
  }.resume()
  done.wait()
  session.getAllTasks {
    tasks = $0
    done.signal()
  }
  done.wait()
  session.getTasksWithCompletionHandler { data, uploads, downloads in
    tasks = data + uploads + downloads
    done.signal()
  }
  done.wait()
  let download = session.downloadTask(with: request)
  download.cancel {
    received = $0
    done.signal()
  }
  done.wait()
  URLCache.shared.getCachedResponse(for: session.dataTask(with: request)) {
    received = $0?.data
    done.signal()
  }
  done.wait()
  return (received, tasks.count)
}
