import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Foundation's synchronous readers of URLs. They find their loader through the module's name.
func contentsChecks(_ checks: Checks) async {
  await checks.check("Data(contentsOf:) loads over HTTP") {
    try expect(try Data(contentsOf: checks.url("bytes/2000")).count, 2000, "length")
  }
  await checks.check("String(contentsOf:encoding:) loads over HTTP") {
    try expect(try String(contentsOf: checks.url("bytes/26"), encoding: .utf8).count, 26, "length")
  }
  await checks.check("NSData(contentsOf:) loads over HTTP") {
    try expect(try NSData(contentsOf: checks.url("bytes/30"), options: []).length, 30, "length")
  }
  await checks.check("NSString(contentsOf:) loads over HTTP") {
    try expect(try NSString(contentsOf: checks.url("bytes/12"), encoding: String.Encoding.utf8.rawValue).length, 12, "length")
  }
  await checks.check("status 404 is an error of Data(contentsOf:)") {
    do {
      _ = try Data(contentsOf: checks.url("status/404"))
      throw CheckFailure("no error")
    } catch let error as CocoaError where error.code == .fileReadUnknown {
      try expect(error.url, checks.url("status/404"), "url")
    }
  }
  await checks.check("refused connection is an error with a URLError underneath") {
    do {
      _ = try Data(contentsOf: URL(string: "http://127.0.0.1:1/")!)
      throw CheckFailure("no error")
    } catch let error as CocoaError {
      try expect((error.underlying as? URLError)?.code, .cannotConnectToHost, "underlying error")
    }
  }
}
