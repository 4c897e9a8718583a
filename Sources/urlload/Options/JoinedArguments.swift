/// Splits arguments in which options are joined as in curl: "-fsSo" "file", "-dname=value". Pure.
///
/// Otherwise ArgumentParser would take the text before "=" for the name of an option.
enum JoinedArguments {
  private static let flags: Set<Character> = ["I", "L", "O", "i", "v", "s", "S", "f", "h", "k"]
  private static let valued: Set<Character> = ["H", "X", "d", "A", "o", "u", "b", "c", "E", "C", "T", "x"]
  private static let valuedNames: Set<String> = [
    "--header", "--request", "--data", "--data-binary", "--json", "--user-agent", "--output", "--max-time", "--connect-timeout",
    "--user", "--cookie", "--cookie-jar", "--cacert", "--cert", "--key", "--continue-at", "--upload-file", "--retry", "--retry-delay",
    "--retry-max-time", "--checksum", "--checksum-file", "--parallel", "--segments", "--proxy", "--noproxy", "--socks5",
    "--subprotocol", "--max-size", "--ping-interval",
  ]

  /// The arguments, each with one option. Unknown ones, values, and everything after "--" stay as they are.
  static func separated(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return result + [argument] + rest }
      let (parts, takesNext) = separated(argument)
      result += parts
      if takesNext, let value = rest.popFirst() { result.append(value) }
    }
    return result
  }

  private static func separated(_ argument: String) -> (parts: [String], takesNext: Bool) {
    guard argument.count > 1, argument.hasPrefix("-"), !argument.hasPrefix("--") else {
      return ([argument], valuedNames.contains(argument))
    }
    var parts: [String] = []
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      parts.append("-\(letter)")
      if valued.contains(letter) { return letters.isEmpty ? (parts, true) : (parts + [String(letters)], false) }
      guard flags.contains(letter) else { return ([argument], false) }
    }
    return (parts, false)
  }
}
