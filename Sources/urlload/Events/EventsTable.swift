import Foundation

/// The options of `urlload sse`: those of `urlload URL`, and its own.
enum EventsTable {
  static let groups = [OptionSection(title: "Events", entries: entries).of(\LoadOptions.run)] + LoadTable.groups

  /// Options of `urlload URL` about the body's output, which `urlload sse` refuses.
  private static let foreign: Set<String> = [
    "output", "remote-name", "download", "output-dir", "remote-header-name", "include", "dump-header", "write-out", "continue-at",
    "segments",
    "checksum", "checksum-file", "etag-save", "remote-time",
  ]

  /// - Throws: If the command line has one of these options. In the user's file of options they are ignored, because it is for other loads, too.
  static func validate(_ arguments: [String]) throws(UsageError) {
    var scratch = LoadOptions()
    for given in try CommandLineParser(groups, explanation: ForeignOptions.explanation).parse(arguments, into: &scratch).given
    where foreign.contains(given.entry.name) {
      throw UsageError("sse writes events to standard output, as they come; leave --\(given.entry.name) out.")
    }
  }

  private static let entries: [OptionEntry<RunOptions>] = [
    .flag("data-only", help: "Write the events' data alone, a line each.") { options, isOn in options.events.form = isOn ? .data : .all },
    .flag("json-lines", help: "Write an object a line: id, event, data.") { options, isOn in
      options.events.form = isOn ? .jsonLines : .all
    },
    .flag("once", help: "End with the connection. Default: connect again, unless the method is another than GET.") { options, isOn in
      options.events.isOnce = isOn
    },
    .value("last-event-id", takes: OptionValue("id"), help: "Continue behind this event.") { options, text in options.events.lastID = text
    },
  ]

  static func showHelp() {
    StandardOutput.line(
      """
      urlload sse [options] [METHOD] URL [name=value ...]

      Writes server-sent events as they come. Options are those of 'urlload URL' as far as they make the request, and these:
      """)
    let help = HelpText(groups: groups, width: min(Console(tellsErrors: true, descriptor: STDOUT_FILENO).width, 120))
    for line in help.lines(of: groups[0]) { StandardOutput.line(line) }
  }
}
