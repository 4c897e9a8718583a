import URLLoadingSystem

extension HeldDoor.Refusal {
  /// Why the process can't be asked what it holds, as text for the user.
  func text(process: Int32) -> String {
    switch self {
    case .noProcess: "there is no process \(process)"
    case .notPermitted: "process \(process) is another user's: run urlload as that user"
    case .notListening:
      "process \(process) doesn't answer: it doesn't use URLLoadingSystem, has made no session yet, or handles the signal itself"
    case .silent:
      "process \(process) hasn't answered: it is stopped or very busy, another urlload asks it, or it has a network namespace of its own"
    }
  }
}
