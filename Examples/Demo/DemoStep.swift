#if TestKit
  import Foundation
  import URLLoadingSystem

  /// One step of the demonstration.
  struct DemoStep: Sendable {
    /// What is shown.
    let title: String
    /// Does it; the lines say what came of it.
    let play: @Sendable (DemoEnvironment) async throws -> [String]

    init(_ title: String, _ play: @escaping @Sendable (DemoEnvironment) -> @Sendable () async throws -> [String]) {
      self.title = title
      self.play = { try await play($0)() }
    }

    /// What an error says of itself.
    static func text(_ error: any Error) -> String {
      switch error {
      case let error as DemoFailure: error.message
      case let error as URLError: "URLError \(error.code.rawValue): \(error.localizedDescription)"
      default: "\(error)"
      }
    }
  }

  /// A step didn't show what it should.
  struct DemoFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  /// Throws unless `condition` holds.
  func demand(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw DemoFailure(message()) }
  }
#endif
