import Foundation

/// The text of `urlload --help`.
enum LoadHelp {
  private static let head = """
    urlload loads URLs: HTTP/1.1, HTTP/2 and HTTP/3, FTP, WebSockets. It fetches, resumes, splits, verifies, hands over to the background,
    and shows what happens on the wire.

      urlload [options] URL ...                        to standard output; -o FILE or -O to a file
      urlload [METHOD] URL name=value count:=3 ...     JSON; also Header:value, q==search, file@path
      urlload ws | sse | background | inspect | cache | cookies | ats | memory | leaks
    """
  private static let tail = """

    Options are curl's, with curl's meaning. Exit codes are curl's, which has more, but for 64 (wrong usage,
    curl's 2), 110 (not what --checksum says) and 128 with the number of a signal. 'urlload --help all' tells
    all options, 'urlload --help GROUP' those of a group: request, data, output, see, recordings, large,
    login, network, cookies, run.
    """

  /// Writes help: the first page if `topic` is empty, all options if it is "all", else the groups with a word in their title that begins with
  /// `topic`.
  static func show(_ topic: String) -> ExitStatus {
    let console = Console(tellsErrors: true, descriptor: STDOUT_FILENO)
    let help = HelpText(groups: LoadTable.groups, width: min(console.width, 120))
    let chosen = help.groups.filter { topic == "all" || $0.title.lowercased().split(separator: " ").contains { $0.hasPrefix(topic) } }
    if topic.isEmpty || topic == "all" || chosen.isEmpty { StandardOutput.line(head) }
    let groups = topic.isEmpty || chosen.isEmpty ? help.groups : chosen
    let isFirst = topic.isEmpty || chosen.isEmpty
    for group in groups {
      for line in isFirst ? help.summary(of: group) : help.lines(of: group) { StandardOutput.line(line) }
    }
    if topic.isEmpty || chosen.isEmpty { StandardOutput.line(tail) }
    return .success
  }
}
