/// The part of a body that exists already, after which a load continues.
enum Continuation: Sendable, Equatable {
  case none
  /// The part that is found on disk (`-C -`).
  case found
  /// This many bytes, as the user says (`-C OFFSET`).
  case after(Int64)
}
