import ArgumentParser
import Foundation

/// What to ask for, as given on the command line.
struct RequestOptions: ParsableArguments {
  @Option(
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A header field, as 'Name: value'. 'Name:' takes back one that urlload sets, 'Name;' sends it empty. Repeatable.",
      valueName: "field"))
  var header: [String] = []

  @Option(
    name: [.customShort("X"), .customLong("request")],
    help: ArgumentHelp("The method. Default: GET, POST with data, PUT with a file.", valueName: "method"))
  var method: String?

  @Flag(name: [.customShort("I"), .customLong("head")], help: "Ask for the head only (HEAD) and show it.")
  var asksForHead = false

  @Option(
    name: [.customShort("d"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Data to send, by POST. @FILE reads it from a file without its line ends, @- from standard input. Repeated: joined by &.",
      valueName: "data"))
  var data: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("As --data, but a file is sent as it is, and piece by piece.", valueName: "data"))
  var dataBinary: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("As --data-binary, as application/json. Repeated: concatenated.", valueName: "data"))
  var json: [String] = []

  @Option(
    name: [.customShort("T"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Send this file, by PUT; - is standard input. A URL that ends with / gets the file's name.", valueName: "file"))
  var uploadFile: String?

  @Option(
    name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
    help: ArgumentHelp("The User-Agent field.", valueName: "agent"))
  var userAgent: String?

  @Flag(help: "Accepted for curl's sake: compression is always offered and always decoded.")
  var compressed = false

  @Flag(
    name: [.customShort("L"), .long], inversion: .prefixedNo,
    help: "Follow redirects, or show the redirect itself.")
  var location = true

  @Option(help: ArgumentHelp("The most that one load may take, in seconds.", valueName: "seconds"))
  var maxTime: Double?

  @Option(
    help: ArgumentHelp(
      "The longest time without progress, in seconds: while connecting, and later as well. Default: 60.", valueName: "seconds"))
  var connectTimeout: Double?

  mutating func validate() throws {
    for (name, value) in [("--max-time", maxTime), ("--connect-timeout", connectTimeout)] {
      if let value, !(value > 0 && value.isFinite) { throw ValidationError("\(name) takes a number of seconds above 0.") }
    }
    let kinds = [data, dataBinary, json].filter { !$0.isEmpty }.count
    if asksForHead, kinds > 0 { throw ValidationError("-I asks for a head, which takes no data; leave one of the two out.") }
    if uploadFile?.isEmpty == true { throw ValidationError("-T needs the name of a file, or - for standard input.") }
    if uploadFile != nil, kinds > 0 || asksForHead {
      throw ValidationError("-T sends a file and nothing else; leave -d, --json and -I out.")
    }
    if !json.isEmpty, kinds > 1 { throw ValidationError("--json can't be mixed with other data; put everything into one of them.") }
    for field in header where HeaderArgument(field) == nil {
      throw ValidationError("A header field is 'Name: value', 'Name:' or 'Name;', but one of those given has no name before a colon.")
    }
  }

  /// The header fields, taken apart. Validated before.
  var fields: [HeaderArgument] { header.compactMap(HeaderArgument.init) }
}
