import ArgumentParser
import BackgroundTransfers
import Foundation

/// `urlload background`: transfers that urlsessiond carries, so that they go on after the tool has ended.
struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload background",
    abstract: "Hand transfers to urlsessiond, which carries them on after this command has ended; list, watch and change them.",
    discussion: """
      urlsessiond is started when it is needed, and ends when it is idle. It tries again by itself when the network fails, resumes what was \
      interrupted, and survives a reboot: the next "urlload background" command starts it. The transfers of all of the user's apps are \
      listed; ID is the number in the first column.
      """,
    subcommands: [
      BackgroundAdd.self, BackgroundList.self, BackgroundWatch.self, BackgroundPause.self, BackgroundResume.self, BackgroundCancel.self,
      BackgroundClear.self, BackgroundLog.self, BackgroundStatus.self,
    ],
    defaultSubcommand: BackgroundList.self)

  /// Written if there is no database of transfers; no daemon is started then.
  static let nothing = "no background transfers"

  /// The daemon's places; nil if there is no database of transfers yet.
  static func queue() throws(ToolFailure) -> BackgroundPlaces? {
    let places = try places()
    return access(places.queue.path(percentEncoded: false), F_OK) == 0 ? places : nil
  }

  /// The daemon's places, whether there is a database or not.
  static func places() throws(ToolFailure) -> BackgroundPlaces {
    do throws(Refusal) { return try BackgroundPlaces.standard() } catch { throw ToolFailure(error) }
  }

  /// A connection to the daemon, for commands that name transfers. Throws if there is no database, and so no transfer.
  static func connection() throws(ToolFailure) -> DaemonConnection {
    guard let places = try queue() else { throw ToolFailure(.other, "there are \(nothing); add some with 'urlload background add URL'") }
    return try DaemonConnection.current(places)
  }
}

/// The command line option for the form of lists.
struct BackgroundOutputOptions: ParsableArguments {
  @Flag(help: "Write a JSON object a line, for scripts; dates are in ISO 8601.")
  var json = false
}

extension ToolFailure {
  /// The failure to report if the daemon refuses a connection.
  init(_ refusal: Refusal) {
    self.init(refusal.reason == .storage ? .writeFailed : .other, refusal.text)
  }
}
