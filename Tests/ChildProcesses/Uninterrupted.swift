import Foundation

/// Makes a system call again as long as a signal interrupts it: one with a time limit (SO_RCVTIMEO) is interrupted also by a process that is
/// stopped and continued (signal(7)).
package func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
