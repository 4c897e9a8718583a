/// Marks the sessions made by one Swift task and its child tasks, so that a test can look for leaks among those alone.
package final class HeldScope: Sendable {
  @TaskLocal package static var current: HeldScope?

  package init() {}

  /// Turns recording on while `body` runs, and marks the sessions that it and its child tasks make with this scope.
  package func record<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    HeldRecording.begin()
    defer { HeldRecording.end() }
    return try await HeldScope.$current.withValue(self) { try await body() }
  }
}
