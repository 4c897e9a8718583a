/// A part of a program whose sessions are looked at apart: those made by its Swift task and the tasks within.
package final class HeldScope: Sendable {
  @TaskLocal package static var current: HeldScope?

  package init() {}

  /// Notes what is made, while `body` runs, by its Swift task and those within.
  package func record<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    HeldRecording.begin()
    defer { HeldRecording.end() }
    return try await HeldScope.$current.withValue(self) { try await body() }
  }
}
