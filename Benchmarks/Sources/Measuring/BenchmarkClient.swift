import Foundation

/// The whole life of a client process: reads the arguments, runs, prints the one JSON line, exits.
public enum BenchmarkClient {
  /// Runs `measure` with the process's arguments. Exits with 1 and a message on standard error when anything fails,
  /// so that the runner can note why a row is missing.
  ///
  /// - Parameter measure: Sets the client up, calls ``Measurement/run(_:load:)`` and tears the client down.
  public static func main(_ measure: @Sendable (Arguments) async throws -> Measurement) async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      let measurement = try await measure(arguments)
      print(measurement.line(for: arguments.scenario))
    } catch {
      let message = (error as NSError).userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)"
      FileHandle.standardError.write(Data("\(message)\n".utf8))
      exit(1)
    }
  }
}
