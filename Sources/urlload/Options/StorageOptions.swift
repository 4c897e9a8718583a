import ArgumentParser

/// What is remembered, as given on the command line.
struct StorageOptions: ParsableArguments {
  @Option(
    name: [.customShort("b"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Cookies to send, as 'NAME=VALUE; NAME=VALUE', or a file of cookies in Netscape's format. Repeatable.", valueName: "data|file"))
  var cookie: [String] = []

  @Option(
    name: [.customShort("c"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Read cookies from this file, in Netscape's format, if it exists, and write them back at the end; - writes them to standard output.",
      valueName: "file"))
  var cookieJar: String?

  @Flag(help: "Keep cookies from run to run; 'urlload cookies' lists and removes them.")
  var keepCookies = false

  @Flag(help: "Use the cache on disk; 'urlload cache' shows what is in it.")
  var cache = false

  mutating func validate() throws {
    if cookieJar?.isEmpty == true { throw ValidationError("-c needs the name of a file, or - for standard output.") }
    if cookie.contains("") { throw ValidationError("-b needs NAME=VALUE or the name of a file.") }
    if cookieJar != nil, keepCookies {
      throw ValidationError("-c and --keep-cookies both say where cookies are kept; leave one of the two out.")
    }
  }
}
