import LoadingModel

/// A part of a program whose sessions are looked at apart: those made by its Swift task and the tasks within.
package final class HeldScope: Sendable {
  @TaskLocal package static var current: HeldScope?

  package init() {}
}
