import LoadingModel

/// A load's permission from the admission queue to look for a connection. The load gives it back when it has a connection, waits for something
/// else (such as the app), or ends.
package enum AdmissionTicket {
  case none
  /// A ticket of the common supply, which loads to all origins share.
  case open
  /// A ticket of the supply that this origin has for itself.
  case of(Origin)
}

/// Issues admission tickets and takes them back: the admission queue, as loads see it.
package protocol AdmissionGate: AnyObject {
  /// The load doesn't need `ticket` any more, which another load can have.
  func giveBack(_ ticket: AdmissionTicket)
}
