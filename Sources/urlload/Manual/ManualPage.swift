import Foundation

/// Makes the manual page, in man's macros. Pure.
enum ManualPage {
  static func text(version: String) -> String {
    var lines = [
      ".TH URLLOAD 1 \"\" \"urlload \(version)\"", ".SH NAME",
      "urlload \\- fetch, resume, split and verify URLs, and see what happens on the wire",
      ".SH SYNOPSIS", ".B urlload", "[options] [METHOD] URL ... [name=value ...]", ".br", ".B urlload", "COMMAND [options]",
      ".SH DESCRIPTION",
      escaped(
        "urlload loads URLs by HTTP/1.1, HTTP/2 and HTTP/3, FTP, file and data. The body goes to standard output, everything else to standard "
          + "error. Redirects are followed and compressed bodies decoded. A URL without a scheme is https, or http on this machine and the local "
          + "network. [1-3] and {one,two} in URLs stand for several. Behind a URL, name=value and name:=json make a body of JSON, Name:value a "
          + "field of the head, name==value a parameter of the query, name@file a form with a file."), ".SH COMMANDS",
    ]
    for (name, help) in Subcommands.all {
      lines += [".TP", ".B urlload \(name)", escaped(help) + "; see \\fBurlload \(name) \\-\\-help\\fR."]
    }
    for group in LoadTable.groups {
      lines.append(".SH OPTIONS: \(group.title.uppercased())")
      for entry in group.entries { lines += [".TP", bold(HelpText.names(entry)), escaped(entry.help)] }
    }
    lines += [
      ".SH FILES", ".TP", ".I $XDG_CONFIG_HOME/urlload/config",
      "Options that are always meant, a line each; ~/.config where the variable isn't set.",
      ".TP", ".I $XDG_DATA_HOME/urlload", "Kept cookies and sessions.", ".TP", ".I $XDG_CACHE_HOME/urlload", "The cache.",
      ".SH EXIT STATUS",
      "curl's where curl has one:",
    ]
    for (status, help) in ExitStatusText.all { lines += [".TP", ".B \(status.rawValue)", escaped(help)] }
    lines += [".SH SEE ALSO", ".BR curl (1)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func bold(_ text: String) -> String { ".B \"\(escaped(text).replacing("\"", with: "\\(dq"))\"" }

  /// Escapes text for man: hyphens are printed as such, and no line is taken for a macro.
  private static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}

/// The meanings of the exit codes, for the manual page.
enum ExitStatusText {
  static let all: [(status: ExitStatus, help: String)] = ExitStatus.allCases.map { ($0, text($0)) }

  private static func text(_ status: ExitStatus) -> String {
    switch status {
    case .success: "Everything was loaded."
    case .other: "An error without a code of its own."
    case .malformedURL: "The URL is malformed, or its scheme isn't served."
    case .cannotResolve: "The host wasn't found."
    case .cannotConnect: "No connection could be made."
    case .badResponse: "The response isn't HTTP, or makes no sense."
    case .accessDenied: "A server of FTP's refuses it."
    case .connectionLost: "The connection was lost."
    case .httpFailure: "With -f: an HTTP status of 400 and above."
    case .writeFailed: "The output can't be written."
    case .uploadRefused: "A server of FTP's doesn't take the file."
    case .readFailed: "Data to be sent, or a file of cookies, can't be read."
    case .timedOut: "A timeout."
    case .rangeUnavailable: "The range isn't available, or what is there isn't a part of what the server has."
    case .secureConnectionFailed: "TLS failed, or the server demands a client certificate or refused it."
    case .fileUnreadable: "A file URL can't be read."
    case .tooManyRedirects: "Too many redirects."
    case .identityUnusable: "The client's own certificate or key can't be used."
    case .certificateRefused: "The server's certificate was refused."
    case .cannotDecode: "The body can't be decoded."
    case .tooMuchData: "Too much data."
    case .usage: "Wrong usage."
    case .cannotSendAgain: "Data that was read from standard input had to be sent again."
    case .loginDenied: "The server wants a login, or the password can't be asked for."
    case .authoritiesUnreadable: "The file of --cacert can't be read."
    case .resourceMissing: "A server of FTP's has no such file or folder."
    case .pinMismatch: "The server's public key isn't the one of --pinnedpubkey."
    case .checksumMismatch: "The body isn't what --checksum says."
    case .hangup, .interrupted, .terminated: "Ended by a signal."
    }
  }
}
