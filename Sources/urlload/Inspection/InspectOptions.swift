#if Inspector
  import Foundation

  /// The options of `urlload inspect`.
  struct InspectOptions: Sendable {
    var port = 0
    var leavesBrowser = false
    var endsWithCommand = false
    /// Whether urlsessiond is inspected, the process that carries background sessions.
    var isOfDaemon = false
    /// The files that are written about the transfers.
    var files = RecordingOptions()
    var asksForHelp = false

    static let groups: [OptionSection<InspectOptions>] = [
      OptionSection(title: "The page", entries: entries),
      OptionSection(title: "Recordings", entries: LoadTable.recordingEntries).of(\.files),
    ]

    private static let entries: [OptionEntry<InspectOptions>] = [
      .number("port", takes: "number", help: "The port of the page on the loopback interface; 0 is any that is free.", in: 0...65535) {
        options, number in options.port = number
      },
      .flag("no-open", help: "Leave the browser alone.") { options, isOn in options.leavesBrowser = isOn },
      .flag("end", help: "End with the command.") { options, isOn in options.endsWithCommand = isOn },
      .flag("background", help: "Inspect urlsessiond, which carries background sessions on.") { options, isOn in options.isOfDaemon = isOn
      },
      .flag("help", "h", help: "Tell the options.") { options, isOn in options.asksForHelp = isOn },
    ]

    static func showHelp() {
      StandardOutput.line(
        """
        urlload inspect [options] FILE.har | PID | --background | -- COMMAND ...

        Shows the transfers of a program while it runs, or of an HTTP Archive. The command must use URLLoadingSystem and link
        URLLoadingInspector; it is run with URL_LOADING_INSPECT. The page's address is written to standard error, and opened in a browser
        where there is a desktop. It has a token in it: keep it to yourself. When the command has ended, what it has loaded stays until the
        interrupt key, or until --end. A process that runs already is recorded, and serves its page, until the interrupt key; what it did
        before isn't known. It must be yours and link URLLoadingInspector. The status is the command's; 126 and 127 if it can't be run or
        isn't found; of a file or a process 0.
        """)
      let help = HelpText(groups: groups, width: min(Console(tellsErrors: true, descriptor: STDOUT_FILENO).width, 120))
      for group in groups { for line in help.lines(of: group) { StandardOutput.line(line) } }
    }
  }
#endif
