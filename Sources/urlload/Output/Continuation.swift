/// What a load continues from.
enum Continuation: Sendable, Equatable {
  case none
  /// From what is found on disk.
  case found
  /// After so many bytes, because the user says so.
  case after(Int64)
}
