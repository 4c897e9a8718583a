import LoadingModel

/// Translates a refusing reply into the load's error, by the step at which it came.
///
/// The server's own words aren't repeated: they may contain what the client sent, such as a password.
package enum FTPRefusal {
  package enum Step: Sendable {
    case greeting, login, security, folder, listing, dataConnection
    /// `isThere`: whether the file is known to exist, because the server has told its size.
    case retrieve(isThere: Bool)
    case store
  }

  package static func error(_ reply: FTPReply, at step: Step) -> LoadError {
    let (kind, phase, what) = meaning(reply, step)
    return LoadError(kind, phase, "\(what) (FTP reply \(reply.code))")
  }

  /// Whether the server wants the control or data connection encrypted first (RFC 2228, 3; RFC 4217).
  package static func demandsTLS(_ reply: FTPReply) -> Bool {
    switch reply.code {
    case 522, 534: return true
    case 421, 500, 503, 521, 530, 533, 550:
      let text = reply.lines.joined(separator: " ").lowercased()
      let words = ["tls", "ssl", "encrypt", "secure connection", "auth command"]
      return words.contains { text.contains($0) } && !text.contains("not supported") && !text.contains("not available")
    default: return false
    }
  }

  /// Whether a refusing reply to LIST means that the folder is empty, as with some servers.
  package static func meansEmptyFolder(_ reply: FTPReply) -> Bool {
    (reply.code == 450 || reply.code == 550) && reply.text.lowercased().contains("no files")
  }

  /// Whether a reply to SIZE means that there is no such file, or none whose size the server tells, and not that it doesn't know the command
  /// (RFC 3659, 4.2).
  package static func deniesSize(_ reply: FTPReply) -> Bool { reply.code == 550 }

  private typealias Meaning = (kind: LoadError.Kind, phase: LoadError.Phase, what: String)

  private static func meaning(_ reply: FTPReply, _ step: Step) -> Meaning {
    switch reply.code {
    case 421: return (.networkConnectionLost, .head, "the server ended the FTP session: it is busy or shutting down; try again later")
    case 425: return (.cannotConnectToHost, .connect, "the server could not open the data connection; check firewalls on the way")
    case 426: return (.networkConnectionLost, .body, "the server broke the transfer off")
    case 452, 552: return (.cannotWriteToFile, .send, "there is no room for the file on the server")
    case 532: return (.noPermissionsToReadFile, .send, "the server wants an account for storing files")
    case 521, 522, 533, 534, 535, 536:
      return (.secureConnectionFailed, .secure, "the server doesn't accept how the connection is secured")
    default: break
    }
    return byStep(reply, step)
  }

  private static func byStep(_ reply: FTPReply, _ step: Step) -> Meaning {
    switch step {
    case .greeting: return (.cannotConnectToHost, .connect, "the server takes no FTP session")
    case .login: return (.userAuthenticationRequired, .head, "the server refused the login; supply another user or password")
    case .security: return (.secureConnectionFailed, .secure, "the server refused to secure the connection; check that it supports TLS")
    case .dataConnection: return (.badServerResponse, .connect, "the server refused every way to open a data connection")
    case .folder: return file(reply, "folder", isThere: false)
    case .listing: return file(reply, "folder", isThere: true)
    case .retrieve(let isThere): return file(reply, "file", isThere: isThere)
    case .store where reply.code == 550 || reply.code == 553 || reply.code == 450:
      return (.cannotCreateFile, .send, "the server doesn't let this user write the file; check its name, its folder and the permissions")
    case .store: return other(reply)
    }
  }

  private static func file(_ reply: FTPReply, _ what: String, isThere: Bool) -> Meaning {
    guard reply.code == 550 || reply.code == 450 || reply.code == 551 else { return other(reply) }
    let text = reply.text.lowercased()
    if ["denied", "permission", "not allowed", "forbidden", "not authorized"].contains(where: text.contains) {
      return (.noPermissionsToReadFile, .head, "this user may not read the \(what)")
    }
    // The clearest words are looked for first.
    if text.contains("no such") || text.contains("not found") || text.contains("exist") {
      return (.fileDoesNotExist, .head, "there is no such \(what) on the server")
    }
    if text.contains("is a directory") || text.contains("not a plain file") || text.contains("not a regular file") {
      return (.fileIsDirectory, .head, "the path names a folder; end it with a slash to list it")
    }
    return isThere
      ? (.noPermissionsToReadFile, .head, "this user may not read the \(what)")
      : (.fileDoesNotExist, .head, "there is no such \(what) on the server, or this user may not see it")
  }

  private static func other(_ reply: FTPReply) -> Meaning {
    switch reply.code {
    case 530: return (.userAuthenticationRequired, .head, "the server wants another login for this")
    case 400..<500: return (.resourceUnavailable, .head, "the server can't do this at the moment; try again later")
    default: return (.badServerResponse, .head, "the server doesn't do what was asked")
    }
  }
}
