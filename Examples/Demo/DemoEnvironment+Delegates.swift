#if TestKit
  import Foundation
  import URLLoadingSystem

  extension DemoEnvironment {
    func streaming() async throws -> [String] {
      let observer = LoadObserver()
      try await observer.run(session.dataTask(with: plain.url("/bytes/8000000")))
      let (bytes, pieces) = (observer.bytes, observer.pieces)
      try demand(bytes == 8_000_000, "\(bytes) bytes instead of 8000000")
      return ["\(bytes) bytes in \(pieces) calls of didReceive data, \(DemoText.bytes(Int64(bytes / max(1, pieces)))) each on average"]
    }

    func redirects() async throws -> [String] {
      let observer = LoadObserver()
      let (_, response) = try await session.data(from: plain.url("/relative-redirect/3"), delegate: observer)
      _ = try ok(response)
      let hops = observer.redirects
      try demand(hops.count == 3, "\(hops.count) redirects instead of 3")
      return hops + ["arrived at \(response.url?.path ?? "-")"]
    }

    func compression() async throws -> [String] {
      let observer = LoadObserver()
      let (data, response) = try await session.data(from: plain.url("/gzip"), delegate: observer)
      let http = try ok(response)
      guard let sizes = observer.metrics?.transactionMetrics.last else { throw DemoFailure("no metrics came") }
      try demand(http.value(forHTTPHeaderField: "Content-Encoding") == "gzip", "the reply isn't compressed")
      try demand((try? JSONSerialization.jsonObject(with: data)) != nil, "the body isn't the JSON that was compressed")
      return ["\(sizes.countOfResponseBodyBytesReceived) bytes received, \(data.count) bytes of JSON delivered"]
    }

    func suspension() async throws -> [String] {
      let observer = LoadObserver()
      let total = 32_000_000
      let task = session.dataTask(with: plain.url("/bytes/\(total)"))
      observer.suspendsAfter = 1_000_000
      async let ending: Void = observer.run(task)
      try await observer.hasSuspended()
      // What was under way arrives first: more than once is looked, however slow the machine.
      var (atRest, later) = (-1, observer.bytes)
      for _ in 0..<50 where later != atRest {
        try await Task.sleep(for: .milliseconds(200))
        (atRest, later) = (later, observer.bytes)
      }
      try demand(later == atRest && later < total, "bytes arrived all the while that the task was suspended")
      task.resume()
      try await ending
      try demand(observer.bytes == total, "\(observer.bytes) bytes instead of \(total)")
      return ["suspended at \(atRest) bytes, still \(later) after 0.2 s; resumed: \(observer.bytes)"]
    }

    func tls() async throws -> [String] {
      let observer = LoadObserver()
      let (_, response) = try await session.data(from: secure.url("/get"), delegate: observer)
      _ = try ok(response)
      guard let transaction = observer.metrics?.transactionMetrics.last, let version = transaction.negotiatedTLSProtocolVersion,
        let suite = transaction.negotiatedTLSCipherSuite
      else { throw DemoFailure("the metrics know of no TLS") }
      return ["\(version) with \(suite), \(transaction.networkProtocolName ?? "-"), to \(response.url?.host() ?? "-")"]
    }

    func untrusted() async throws -> [String] {
      let wary = URLSession(configuration: .ephemeral)
      defer { wary.invalidateAndCancel() }
      let error = try await failure { _ = try await wary.data(from: secure.url("/get")) }
      try demand(error.code == .serverCertificateHasUnknownRoot || error.code == .serverCertificateUntrusted, DemoStep.text(error))
      return [DemoStep.text(error)]
    }

    func metrics() async throws -> [String] {
      let observer = LoadObserver()
      let fresh = makeSession()
      defer { fresh.invalidateAndCancel() }
      let url = secure.url("/redirect-to?url=/delay/0.02", host: "localhost")
      _ = try await fresh.data(from: url, delegate: observer)
      guard let metrics = observer.metrics else { throw DemoFailure("no metrics came") }
      let transactions = metrics.transactionMetrics
      try demand(transactions.count == 2, "\(transactions.count) transactions instead of 2")
      return ["\(DemoText.duration(metrics.taskInterval.duration)) in all"] + transactions.map(DemoText.line)
    }
  }
#endif
