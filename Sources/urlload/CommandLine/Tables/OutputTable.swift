extension LoadTable {
  static let outputEntries: [OptionEntry<OutputOptions>] = [
    .value(
      "output", "o", takes: .file,
      help: "Write the body to this file, which appears once it is complete; #1 stands for the first pattern's value. Once for each URL."
    ) { options, text in options.files.append(text) }.essential,
    .flag("remote-name", "O", help: "Write the body to a file with the name in the URL.") { options, isOn in
      options.usesRemoteName = isOn
    }.also("remote-name-all").essential,
    .flag("download", help: "As -O, unless -o names the file.") { options, isOn in options.downloads = isOn }.inCurl(.none),
    .flag("remote-header-name", "J", help: "With -O, the name that the response suggests (Content-Disposition); no file is replaced.") {
      options, isOn in options.usesHeaderName = isOn
    },
    .value("output-dir", "P", takes: OptionValue("folder", .folder), help: "The folder for the files of -o and -O.") { options, text in
      options.folder = text
    }.also("directory-prefix"),
    .flag("remote-time", "R", help: "Give files the time at which the resource was changed, if the server tells it.") { options, isOn in
      options.keepsTime = isOn
    },
    .value("etag-save", takes: .file, help: "Write the response's ETag to this file, for --etag-compare.") { options, text in
      options.etagSave = text
    },
    .flag("create-dirs", help: "Make the folders in which files are written.") { options, isOn in options.createsFolders = isOn },
    .flag("no-clobber", help: "Replace no file: a new one gets a number behind its name (file.1).") { options, isOn in
      options.keepsFiles = isOn
    },
    .flag("clobber", help: "Replace files: the default.") { options, isOn in options.keepsFiles = !isOn },
    .flag("remove-on-error", help: "Leave no file after a failure: the default without -C.") { options, isOn in
      options.removesOnError = isOn
    },
    .flag("include", "i", help: "Write the response's head before the body.") { options, isOn in
      options.includesHead = isOn
    }.also("show-headers").essential,
    .value("dump-header", "D", takes: .file, help: "Write the heads of the responses to this file; - is standard output.") {
      options, text in options.headFile = text
    },
    OptionEntry(
      name: "pretty", letters: [],
      help: "How JSON and heads are shown: all, colors, format or none. Default: all on a terminal, none elsewhere.",
      action: .value(OptionValue("form", .words(PrettyForm.allCases.map(\.rawValue)))) { options, text throws(UsageError) in
        guard let form = PrettyForm(rawValue: text) else { throw UsageError("--pretty takes all, colors, format or none.") }
        options.pretty = form
      }, curl: .none),
    .flag("fail", "f", help: "Fail without output on an HTTP status of 400 and above.") { options, isOn in options.fail = isOn }.essential,
    .flag("fail-with-body", help: "Fail on an HTTP status of 400 and above, but write the body.") { options, isOn in
      options.failWithBody = isOn
    },
    .value("max-filesize", takes: OptionValue("bytes"), help: "Fail (63) where a body is longer than this.") {
      options, text throws(UsageError) in options.maxFileSize = try bytes(text, "--max-filesize")
    },
    .flag("silent", "s", help: "No progress bar, no error messages.") { options, isOn in options.silent = isOn }.essential,
    .flag("show-error", "S", help: "With -s, error messages nevertheless.") { options, isOn in options.showError = isOn },
    .flag("progress-meter", help: "Show progress on a terminal: the default. --no-progress-meter doesn't.") { options, isOn in
      options.showsProgress = isOn
    },
    .flag("no-buffer", "N", help: "Accepted for curl's sake: a body is always written as it comes.") { _, _ in }.also("buffer"),
    .flag("progress-bar", "#", help: "Accepted for curl's sake: progress is always a bar.") { _, _ in }.inCurl(.same),
  ]

  static let insightEntries: [OptionEntry<OutputOptions>] = [
    .flag("verbose", "v", help: "Tell what happens on standard error; secrets are masked. -vv: frames of HTTP/2 and HTTP/3 too.") {
      options, isOn in
      options.verbosity = isOn ? options.verbosity + 1 : 0
    }.essential,
    .flag("show-secrets", help: "With -v and --trace, show passwords, tokens and cookies too.") { options, isOn in
      options.showsSecrets = isOn
    }.inCurl(.none),
    .value("trace", takes: .file, help: "Write what is sent and received to this file, as hex and text; - is standard output.") {
      options, text in options.trace = TraceChoice(path: text, form: .hex)
    },
    .value("trace-ascii", takes: .file, help: "The same as text alone.") { options, text in
      options.trace = TraceChoice(path: text, form: .text)
    },
    .value(
      "write-out", "w", takes: OptionValue("format", .file),
      help: "Write this after each load, with curl's variables: '%{http_code} %{time_total}\\n', '%{json}'. @FILE reads it from a file."
    ) { options, text in options.writeOut = text },
    OptionEntry(
      name: "progress", letters: [], help: "How progress is shown: bar, none, or json for an object a line on standard error.",
      action: .value(OptionValue("form", .words(["bar", "none", "json"]))) { options, text throws(UsageError) in
        switch text {
        case "bar": (options.progress, options.showsProgress) = (.bar, true)
        case "none": options.showsProgress = false
        case "json": (options.progress, options.showsProgress) = (.json, true)
        default: throw UsageError("--progress takes bar, none or json.")
        }
      }, curl: .none),
    OptionEntry(
      name: "metrics", letters: [], help: "Draw when each phase of the load took place; --metrics=json writes it as an object.",
      action: .word(OptionValue("form", .words(["json"]))) { options, text throws(UsageError) in
        guard text == nil || text == "json" else { throw UsageError("--metrics draws, or is --metrics=json.") }
        options.metrics = text == nil ? .drawing : .json
      }, curl: .none, isEssential: true),
  ]
}
