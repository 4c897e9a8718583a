import CLoadingProcess
import Foundation

/// The process at the other end of a connection, as the kernel knows it.
package struct LinkPeer: Sendable, Equatable {
  package var user: uid_t
  package var process: pid_t

  package init(user: uid_t, process: pid_t) {
    self.user = user
    self.process = process
  }

  /// nil if the descriptor isn't a connected socket of this machine.
  package init?(of descriptor: Int32) {
    var (user, process): (uid_t, pid_t) = (0, 0)
    guard uls_local_peer(descriptor, &user, &process) == 0 else { return nil }
    self.init(user: user, process: process)
  }

  /// Whether the process acts for the same user as this one.
  package var isOwnUser: Bool { user == geteuid() }
}
