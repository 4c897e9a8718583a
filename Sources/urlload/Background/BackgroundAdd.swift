import ArgumentParser
import BackgroundTransfers
import Foundation

/// `urlload background add`: hands transfers to urlsessiond, and ends without waiting for them.
struct BackgroundAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add transfers, tell their identifiers, and end at once.",
    discussion: """
      A download gets the name in its URL, in the current folder, unless -o names another file. No file is replaced. A status of 400 and \
      above is a failure.
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The file to be made, for one URL. With -T: what takes the response's body, which is dropped otherwise.", valueName: "file"))
  var output: String?

  @Option(
    name: [.customShort("T"), .long],
    help: ArgumentHelp("Upload this file, by PUT. A URL that ends with / gets the file's name.", valueName: "file"))
  var uploadFile: String?

  @Option(
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A header field, as 'Name: value'. Repeatable.", valueName: "field"))
  var header: [String] = []

  @Option(
    name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The method. Default: GET, PUT with -T.", valueName: "method"))
  var method: String?

  @Option(help: ArgumentHelp("What is shown with the transfers in lists.", valueName: "text"))
  var description: String?

  @Option(
    help: ArgumentHelp(
      "When to begin: seconds from now, or a date such as 2027-01-31T02:00 (local time) or 2027-01-31T02:00:00Z.", valueName: "time"))
  var notBefore: String?

  @Flag(help: "Begin when the machine has power, an unmetered network and nothing else to do; in 6 hours in any case.")
  var discretionary = false

  @OptionGroup var format: BackgroundOutputOptions

  @Argument(help: ArgumentHelp("What to load.", valueName: "url"))
  var urls: [String] = []

  mutating func validate() throws {
    guard !urls.isEmpty else { throw ValidationError("Name a URL to load, such as https://example.com/file.") }
    if let output {
      if urls.count > 1 { throw ValidationError("-o names one file, but there are \(urls.count) URLs; run it once for each.") }
      if output.isEmpty || output == "-" {
        throw ValidationError("-o needs the name of a file: a background transfer has no standard output.")
      }
    }
    if let uploadFile, uploadFile.isEmpty || uploadFile == "-" {
      throw ValidationError("-T needs the name of a file, which is read while it is sent: standard input won't be there then.")
    }
    if let complaint = HeaderArgument.complaint(header) { throw ValidationError(complaint) }
    if let notBefore, BeginTime.date(notBefore, now: Date()) == nil {
      throw ValidationError("--not-before takes seconds from now, or a date such as 2027-01-31T02:00 or 2027-01-31T02:00:00Z.")
    }
  }

  func run() throws {
    try tellingFailures {
      let drafts = try TransferDraft.drafts(urls, draftOptions)
      let added = try BackgroundAddition(ToolSession.terms(isDiscretionary: discretionary)).add(drafts, BackgroundCommand.places())
      for listing in added { StandardOutput.line(format.json ? ListingRecord(listing).line : ListingText.added(listing)) }
    }
  }

  private var draftOptions: TransferDraft.Options {
    var options = TransferDraft.Options()
    options.output = output
    options.uploadFile = uploadFile
    options.fields = header.compactMap(HeaderArgument.init)
    options.method = method
    options.description = description
    options.earliestBegin = notBefore.flatMap { BeginTime.date($0, now: Date()) }
    return options
  }
}
