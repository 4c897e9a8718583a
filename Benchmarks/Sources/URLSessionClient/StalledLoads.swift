import Foundation
import Measuring

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// Loads of a delegate session, with its cookies and its cache, that the server doesn't answer. The URL with `1k` in place of `stall` is
/// answered.
enum StalledLoads {
  static func measure(_ arguments: Arguments, _ request: URLRequest) async throws -> Measuring.Measurement {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = arguments.concurrency
    let loader = DelegateLoader(configuration: configuration, keepsBodies: true)
    defer { loader.session.invalidateAndCancel() }
    var answered = request
    answered.url = request.url?.deletingLastPathComponent().appendingPathComponent("1k")
    var tasks: [URLSessionDataTask] = []
    return try await Measuring.Measurement.inFlight(arguments) { [answered] in
      try await loader.load(answered)
    } start: {
      let task = loader.session.dataTask(with: request)
      task.resume()
      tasks.append(task)
    } running: {
      tasks.count { $0.state == .running }
    }
  }
}
