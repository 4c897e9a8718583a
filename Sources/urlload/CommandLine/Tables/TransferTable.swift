extension LoadTable {
  static let transferEntries: [OptionEntry<TransferOptions>] = [
    .value(
      "continue-at", "C", takes: OptionValue("-|offset"),
      help: "Go on after this many bytes, or - for as many as are there: FILE.part, or a part of FILE. What is there is checked first. "
        + "With -T, - goes on with an interrupted upload, if the server keeps it."
    ) { options, text in options.continueAt = text }.essential,
    .number(
      "segments", takes: "count", help: "Load a file in so many ranges at once, and go on with each of them if they are there.", in: 1...32
    ) { options, count in options.segments = count }.inCurl(.none).essential,
    OptionEntry(
      name: "parallel", letters: ["Z"], help: "Load up to so many URLs at once. Default with -Z: \(TransferOptions.parallelDefault).",
      action: .count(OptionValue("count")) { options, count throws(UsageError) in
        let count = count ?? TransferOptions.parallelDefault
        guard TransferOptions.parallelRange ~= count else {
          throw UsageError("--parallel takes a number from 1 to \(TransferOptions.parallelRange.upperBound).")
        }
        options.parallelCount = count
      }
    ).essential,
    .number("parallel-max", takes: "count", help: "With -Z, how many at once.", in: TransferOptions.parallelRange) { options, count in
      options.parallelMaximum = count
    },
    .flag("parallel-immediate", help: "Accepted for curl's sake.") { _, _ in },
    .number(
      "retry", takes: "count", help: "Try again so often after a broken transfer, a timeout, or a status of 408, 429 or 5xx.",
      in: 0 ... .max
    ) { options, count in options.retry = count }.essential,
    .seconds("retry-delay", help: "Seconds between tries. Default: 1, 2, 4 and so on, or what the server asks for.", allowsZero: true) {
      options, seconds in options.retryDelay = seconds
    },
    .seconds("retry-max-time", help: "Seconds after which no other try begins.", allowsZero: true) { options, seconds in
      options.retryMaxTime = seconds
    },
    .flag("retry-all-errors", help: "With --retry, after any failure.") { options, isOn in options.retriesAllErrors = isOn },
    .flag("retry-connrefused", help: "Accepted for curl's sake: a refused connection is always tried again.") { _, _ in },
    .value(
      "checksum", takes: OptionValue("algorithm:hex"), help: "The digest that the body must have: sha256, sha512, sha384, sha1 or md5."
    ) {
      options, text in options.checksum = text
    }.inCurl(.none).essential,
    .value(
      "checksum-file", takes: .file,
      help: "A file of digests, such as SHA256SUMS, that has one for each body, by its name; - is standard input."
    ) { options, text in
      options.checksumFile = text
    }.inCurl(.none),
    .value("limit-rate", takes: OptionValue("bytes"), help: "The most bytes a second, such as 200k, of all loads together.") {
      options, text throws(UsageError) in
      let rate = try bytes(text, "--limit-rate")
      options.limitRate = rate == 0 ? nil : rate
    },
  ]

  static let storageEntries: [OptionEntry<StorageOptions>] = [
    .value(
      "cookie", "b", takes: OptionValue("data|file", .file),
      help: "Cookies to send, as 'NAME=VALUE; NAME=VALUE', or a file of cookies in Netscape's format. Repeatable."
    ) { options, text in options.cookie.append(text) },
    .value(
      "cookie-jar", "c", takes: .file,
      help:
        "Read cookies from this file, in Netscape's format, if it exists, and write them back at the end; - writes them to standard output."
    ) { options, text in options.cookieJar = text },
    .flag("keep-cookies", help: "Keep cookies from run to run; 'urlload cookies' lists and removes them.") { options, isOn in
      options.keepCookies = isOn
    }.inCurl(.none),
    .value("session", takes: OptionValue("name"), help: "Keep cookies, header fields and login from run to run, for the URL's host.") {
      options, text in options.session = text
    }.inCurl(.none),
    .value("session-read-only", takes: OptionValue("name"), help: "Use what a session has kept, and keep nothing new.") { options, text in
      (options.session, options.readsSessionOnly) = (text, true)
    }.inCurl(.none),
    .flag("cache", help: "Use the cache on disk; 'urlload cache' shows what is in it.") { options, isOn in
      options.cache = isOn
    }.inCurl(.none),
  ]

  static let runEntries: [OptionEntry<RunOptions>] = [
    .value("url", takes: .url, help: "A URL, as an option.") { options, text in options.urls.append(text) }.inCurl(.none),
    .value("input-file", takes: .file, help: "Load the URLs in this file, a line each; - is standard input. wget's -i FILE.") {
      options, text in options.inputFiles.append(text)
    }.inCurl(.none),
    .value("config", "K", takes: .file, help: "Read options from this file; - is standard input.") { options, text in
      options.configFiles.append(text)
    }.inCurl(.none),
    .flag("disable", "q", help: "As the first option: don't read the file of options that are always meant.") { options, isOn in
      options.ignoresConfig = isOn
    }.inCurl(.none),
    .flag("offline", help: "Show the request, and don't send it.") { options, isOn in options.isOffline = isOn }.inCurl(.none).essential,
    .flag("curl", help: "Print the same line for curl.") { options, isOn in options.printsCurl = isOn }.inCurl(.none),
    .flag("version", "V", help: "Tell the version.") { options, isOn in options.showsVersion = isOn }.inCurl(.none),
    OptionEntry(
      name: "help", letters: ["h"], help: "Tell the options that are used most; --help all tells all of them.",
      action: .flag { options, _ in options.help = "" }, curl: .none, isEssential: true),
  ]
}
