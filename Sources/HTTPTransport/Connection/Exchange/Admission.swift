import LoadingModel

/// A load's permission to set out for a connection; given back when it has one, waits for something else, or ends.
package enum AdmissionTicket {
  case none
  /// One of those that loads to any origin share.
  case open
  /// One of an origin's own.
  case of(Origin)
}

/// What gives out admission tickets.
package protocol AdmissionGate: AnyObject {
  /// The load is on its way no more.
  func giveBack(_ ticket: AdmissionTicket)
}
