import LoadingModel

/// One command line of FTP, without bytes that would end it early (RFC 959, 5.3). Its description omits the argument, which may be a password.
package struct FTPCommand: Sendable {
  package let verb: String
  /// The complete line, with CR LF at its end.
  package let line: [UInt8]

  package init(_ verb: StaticString) {
    self.verb = "\(verb)"
    line = Array("\(verb)\r\n".utf8)
  }

  /// - Throws: `badURL` if the argument contains CR, LF or NUL: the server would read what follows as another command.
  package init(_ verb: StaticString, _ argument: some Sequence<UInt8>) throws(LoadError) {
    self.verb = "\(verb)"
    let argument = Array(argument)
    guard FTPCommand.isArgument(argument) else {
      throw LoadError(.badURL, .admission, "a path, user or password for FTP may not contain line breaks or null characters")
    }
    line = Array("\(verb) ".utf8) + argument + [0x0D, 0x0A]
  }

  package init(_ verb: StaticString, number: Int64) {
    self.verb = "\(verb)"
    line = Array("\(verb) \(number)\r\n".utf8)
  }

  package static func isArgument(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
  }
}

extension FTPCommand: CustomStringConvertible, CustomReflectable {
  package var description: String { verb }
  package var customMirror: Mirror { Mirror(self, children: ["verb": verb]) }
}
