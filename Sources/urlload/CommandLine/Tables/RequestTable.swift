extension LoadTable {
  static let requestEntries: [OptionEntry<RequestOptions>] = [
    .value(
      "header", "H", takes: OptionValue("field"),
      help:
        "A header field, as 'Name: value'. 'Name:' takes back one that urlload sets, 'Name;' sends it empty; @file has one a line. Repeatable."
    ) { options, text throws(UsageError) in options.header += try HeaderArgument.fields(text) }.essential,
    .value("request", "X", takes: OptionValue("method"), help: "The method. Default: GET, POST with data, PUT with a file.") {
      options, text in options.method = text
    }.essential,
    .flag("head", "I", help: "Ask for the head only (HEAD) and show it.") { options, isOn in options.asksForHead = isOn }.essential,
    .value("user-agent", "A", takes: OptionValue("agent"), help: "The User-Agent field.") { options, text throws(UsageError) in
      options.userAgent = try FieldText.value(text, of: "User-Agent")
    },
    .value("referer", "e", takes: .url, help: "The Referer field; ';auto' behind it, or alone, names the URL that led to a redirect.") {
      options, text throws(UsageError) in
      let text = try FieldText.value(text, of: "Referer")
      options.refersAfterRedirects = text.hasSuffix(";auto")
      let url = options.refersAfterRedirects ? String(text.dropLast(5)) : text
      options.referer = url.isEmpty ? nil : url
    },
    .value("range", "r", takes: OptionValue("range"), help: "The bytes that are wanted, counted from 0: 0-499, 500-, -500 for the last.") {
      options, text throws(UsageError) in
      guard text.contains(where: \.isNumber), text.allSatisfy({ $0.isNumber || "-, ".contains($0) }) else {
        throw UsageError("-r takes a range of bytes: 0-499, 500-, or -500 for the last 500.")
      }
      options.range = text.contains("-") ? text : "\(text)-"
    },
    .value(
      "time-cond", "z", takes: OptionValue("date|file", .file),
      help: "Ask for what has changed since this date, or since the file was changed; -DATE for what hasn't."
    ) { options, text in options.timeCondition = text },
    .value("etag-compare", takes: .file, help: "Ask for what has another ETag than the one in this file, which --etag-save has written.") {
      options, text in options.etagCompare = text
    },
    .value(
      "url-query", takes: OptionValue("data"), help: "Data for the URL's query, encoded as by --data-urlencode; +data is taken as it is."
    ) { options, text in options.query.append(text) },
    .flag("location", "L", help: "Follow redirects: the default. --no-location shows the redirect itself.") { options, isOn in
      options.location = isOn
    }.also("follow").inCurl(.none),
    .number("max-redirs", takes: "count", help: "The most redirects to follow. Default: 16, which is also the most.", in: -1 ... .max) {
      options, count in options.maxRedirects = count < 0 ? nil : count
    },
    .seconds("max-time", "m", help: "The most that one load may take; 0 for no limit.", allowsZero: true) { options, seconds in
      options.maxTime = seconds > 0 ? seconds : nil
    }.essential,
    .seconds("connect-timeout", help: "The longest time without progress, while connecting and later as well. Default: 60.") {
      options, seconds in options.connectTimeout = seconds
    },
    .flag("compressed", help: "Accepted for curl's sake: compression is always offered and always decoded.") { _, _ in }.inCurl(.none),
    .flag("globoff", "g", help: "Take [], {} in URLs as they are, instead of as patterns.") { options, isOn in
      options.leavesPatterns = isOn
    },
  ]

  static let contentEntries: [OptionEntry<RequestOptions>] = [
    .value(
      "data", "d", takes: OptionValue("data", .file),
      help: "Data to send, by POST. @FILE reads it from a file without its line ends, @- from standard input. Repeated: joined by &."
    ) { options, text in options.data.append(DataArgument(kind: .text, text: text)) }.also("data-ascii").essential,
    .value("data-raw", takes: OptionValue("data"), help: "As --data, but @ is a character like any other.") { options, text in
      options.data.append(DataArgument(kind: .raw, text: text))
    },
    .value("data-binary", takes: OptionValue("data", .file), help: "As --data, but a file is sent as it is, and piece by piece.") {
      options, text in options.data.append(DataArgument(kind: .binary, text: text))
    },
    .value(
      "data-urlencode", takes: OptionValue("data"),
      help: "As --data, percent-encoded: 'content', '=content', 'name=content', '@file', 'name@file'."
    ) { options, text in options.data.append(DataArgument(kind: .percentEncoded, text: text)) },
    .value("json", takes: OptionValue("data", .file), help: "As --data-binary, as application/json. Repeated: concatenated.") {
      options, text in options.data.append(DataArgument(kind: .json, text: text))
    }.essential,
    .value(
      "form", "F", takes: OptionValue("name=content", .file),
      help: "A part of a form: name=text, name=@file (several with commas), name=<file for its text; ;type=, ;filename= behind. Repeatable."
    ) { options, text throws(UsageError) in options.form += try FormArgument.parts(text) }.essential,
    .value("form-string", takes: OptionValue("name=text"), help: "A field of a form, in which @, < and ; are characters like any other.") {
      options, text throws(UsageError) in options.form.append(try FormArgument.text(text))
    },
    .flag("get", "G", help: "Put the data into the URL's query and ask by GET.") { options, isOn in options.sendsDataInQuery = isOn },
    .value(
      "upload-file", "T", takes: .file,
      help: "Send this file, by PUT; - is standard input. A URL that ends with / gets the file's name. Once for each URL."
    ) { options, text in options.uploadFiles.append(text) }.essential,
  ]
}
