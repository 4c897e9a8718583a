import LoadingModel

/// One command line of FTP, free of anything that would end it early (RFC 959, 5.3). It never describes its argument.
package struct FTPCommand: Sendable {
  package let verb: String
  /// The whole line with its end.
  package let line: [UInt8]

  package init(_ verb: StaticString) {
    self.verb = "\(verb)"
    line = Array("\(verb)\r\n".utf8)
  }

  /// - Throws: `badURL` if the argument contains what would end the line: it would smuggle another command in.
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
