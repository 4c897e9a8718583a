/// The options of `urlload URL`, by group.
enum LoadTable {
  static let groups: [OptionSection<LoadOptions>] = [
    OptionSection(title: "Request", entries: requestEntries).of(\.request),
    OptionSection(title: "Data to send", entries: contentEntries).of(\.request),
    OptionSection(title: "Output", entries: outputEntries).of(\.output),
    OptionSection(title: "See what happens", entries: insightEntries).of(\.output),
    OptionSection(title: "Recordings", entries: recordingEntries).of(\.recording),
    OptionSection(title: "Large files and many of them", entries: transferEntries).of(\.transfer),
    OptionSection(title: "Login and trust", entries: loginEntries).of(\.login),
    OptionSection(title: "Network", entries: networkEntries).of(\.network),
    OptionSection(title: "Cookies, sessions and cache", entries: storageEntries).of(\.storage),
    OptionSection(title: "The run", entries: runEntries).of(\.run),
  ]

  /// A number of bytes such as 500, 200k or 1.5M, with powers of 1024 as in curl.
  /// - Parameter name: The option, for messages.
  static func bytes(_ text: String, _ name: String) throws(UsageError) -> Int64 {
    let units: [Character: Double] = ["b": 1, "k": 1024, "m": 1_048_576, "g": 1_073_741_824, "t": 1_099_511_627_776]
    let letter = text.last.flatMap { Character($0.lowercased()) }
    let unit = letter.flatMap { units[$0] }
    guard let number = Double(unit == nil ? text[...] : text.dropLast()), number >= 0, number * (unit ?? 1) < 9e18 else {
      throw UsageError("\(name) takes a number of bytes, such as 500, 200k or 1.5M.")
    }
    return Int64(number * (unit ?? 1))
  }
}
