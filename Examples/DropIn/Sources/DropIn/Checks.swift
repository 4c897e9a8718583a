import Foundation

/// Why a check failed.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs checks one after the other and counts their outcomes.
actor Checks {
  nonisolated let base: URL
  private var passed = 0
  private var failed = 0

  init(base: URL) { self.base = base }

  /// The URL of `path` at the server under test.
  nonisolated func url(_ path: String) -> URL { base.appendingPathComponent(path) }

  func check(_ name: String, _ body: () async throws -> Void) async {
    do {
      try await body()
      passed += 1
      print("passed: \(name)")
    } catch {
      failed += 1
      print("FAILED: \(name): \(error)")
    }
  }

  /// Prints the result and ends the process: with 0 if all went well.
  func report() -> Never {
    print("\(passed) passed, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
  }
}

func expect<T: Equatable>(_ found: T?, _ expected: T, _ what: String) throws {
  guard found == expected else {
    throw CheckFailure("\(what) is \(found.map { "\($0)" } ?? "nil") instead of \(expected)")
  }
}

/// The body of `/get`, `/post` and `/headers` at the test server.
struct Echo: Decodable {
  var method: String?
  var headers: [String: String]?
  var body: String?

  func header(_ name: String) -> String? {
    headers?.first { $0.key.lowercased() == name.lowercased() }?.value
  }
}
