import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Errors as apps match them.
func errorChecks(_ checks: Checks) async {
  await checks.check("refused connection is a URLError that names the URL") {
    do {
      _ = try await URLSession.shared.data(from: URL(string: "http://127.0.0.1:1/")!)
      throw CheckFailure("no error")
    } catch let error as URLError where error.code == .cannotConnectToHost {
      try expect(error.failingURL?.absoluteString, "http://127.0.0.1:1/", "failingURL")
    }
  }
  await checks.check("unknown scheme is an unsupported URL") {
    do {
      _ = try await URLSession.shared.data(from: URL(string: "nosuchscheme://host/")!)
      throw CheckFailure("no error")
    } catch URLError.unsupportedURL {}
  }
  await checks.check("cancelled task ends with URLError.cancelled") {
    let error: Error? = await withCheckedContinuation { continuation in
      let task = URLSession.shared.dataTask(with: checks.url("bytes/10")) { _, _, error in continuation.resume(returning: error) }
      task.cancel()
      task.resume()
    }
    try expect((error as? URLError)?.code, .cancelled, "code")
    try expect((error as NSError?)?.domain, NSURLErrorDomain, "domain")
  }
}
