import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Which library the import above found.
func identityChecks(_ checks: Checks) async {
  await checks.check("types are those of URLLoadingSystem") {
    let types: [(Any.Type, String)] = [
      (URLSession.self, "URLSession"), (URLRequest.self, "URLRequest"), (HTTPURLResponse.self, "HTTPURLResponse"),
      (URLSessionConfiguration.self, "URLSessionConfiguration"), (URLProtocol.self, "URLProtocol"), (HTTPCookie.self, "HTTPCookie"),
    ]
    for (type, name) in types {
      try expect(String(reflecting: type), "URLLoadingSystem.\(name)", name)
    }
  }
  await checks.check("the toolchain's library is not loaded") {
    guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
    try expect(maps.contains("libFoundationNetworking"), false, "presence of libFoundationNetworking")
  }
}
