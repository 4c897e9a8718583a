import ChildProcesses
import Foundation
import Testing

@testable import urlload

/// What a command line is taken for. No load takes place.
@Suite(.timeLimit(.minutes(10))) struct CommandLineTests {
  private func line(_ arguments: String...) throws -> LoadCommandLine { try LoadCommandLine(["-q"] + arguments) }

  @Test func lettersAreJoinedAndValuesMayBeginWithHyphens() throws {
    let line = try line("-fsSo", "out", "-dname=value", "-XPUT", "-H", "-A: b", "a.example")
    #expect(line.options.output.fail && line.options.output.silent && line.options.output.showError)
    #expect(line.options.output.files == ["out"])
    #expect(line.options.request.data == [DataArgument(kind: .text, text: "name=value")])
    #expect(line.options.request.method == "PUT")
    #expect(line.options.request.header == ["-A: b"])
  }

  @Test func optionsAreTakenBackAndGivenByEqualsSigns() throws {
    let line = try line("--fail", "--no-fail", "--max-time=3", "--no-location", "a.example")
    #expect(!line.options.output.fail && !line.options.request.location)
    #expect(line.options.request.maxTime == 3)
  }

  @Test func numbersBehindParallelAreOptional() throws {
    #expect(try line("-OZ", "a.example", "b.example").options.transfer.parallel == 50)
    #expect(try line("-O", "--parallel", "4", "a.example").options.transfer.parallel == 4)
    #expect(try line("-O", "-Z", "--parallel-max", "3", "a.example").options.transfer.parallel == 3)
  }

  @Test(arguments: [
    (["--sslv3"], "--tlsv1.0"), (["--socks4", "h"], "socks4://"), (["--proto", "=http"], "https and ftp"), (["--path-as-is"], "resolved"),
    (["--xattr"], "setfattr"), (["--mail-from", "x"], "curl"),
    (["--hedaer", "x"], "--header"), (["--ouptut"], "no option"), (["--trace-time"], "--metrics"), (["--max-time", "x"], "seconds"),
    (["-F", "x"], "NAME=CONTENT"), (["--tls-max", "2"], "1.3"), (["-I", "-d", "x"], "-G"),
    (["--tlsv1.3", "--tls-max", "1.2"], "no version"), (["--parallel", "101"], "100"), (["--limit-rate", "fast"], "200k"),
  ]) func mistakesAreToldWithARemedy(arguments: [String], remedy: String) throws {
    let error = #expect(throws: UsageError.self) { try LoadCommandLine(["-q"] + arguments + ["a.example"]) }
    #expect(error?.message.contains(remedy) == true, "\(error?.message ?? "")")
  }

  /// Every option of curl is one of the tool's, or is answered.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl isn't installed"))
  func everyOptionOfCurlIsKnown() async throws {
    let text = String(decoding: try await ChildProcess.output(of: "/usr/bin/curl", ["--help", "all"]), as: UTF8.self)
    let own = Set(LoadTable.groups.flatMap(\.entries).flatMap { [$0.name] + $0.aliases })
    let names = text.matches(of: /--([a-z0-9][a-z0-9.-]*)/).map { String($0.1) }
    #expect(names.count > 200)
    let unknown = names.filter { name in
      !own.contains(name) && !(name.hasPrefix("no-") && own.contains(String(name.dropFirst(3))))
        && ForeignOptions.explanation("--\(name)") == nil
    }
    #expect(unknown == [])
  }

  @Test func namesAndLettersOfOptionsAreUnique() {
    let entries = LoadTable.groups.flatMap(\.entries)
    let names = entries.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
    let letters = entries.flatMap(\.letters)
    #expect(Set(letters).count == letters.count)
  }

  // MARK: URLs

  @Test(arguments: [
    ("http://h/echo?x=ä%20b", "http://h/echo?x=%C3%A4%20b"), ("http://h/a|b%20c", "http://h/a%7Cb%20c"),
    ("http://h/a b%2fc", "http://h/a%20b%2fc"),
    ("http://h/[x]%20?[y]%20", "http://h/%5Bx%5D%20?%5By%5D%20"), ("http://h/%41\\^<>\"`", "http://h/%41%5C%5E%3C%3E%22%60"),
    ("http://h/100%?a=5%&b=%zz%20", "http://h/100%25?a=5%25&b=%25zz%20"),
    ("http://h/a%20b?c=d&e=%C3%A4#f", "http://h/a%20b?c=d&e=%C3%A4#f"),
    ("file:///a b%20c", "file:///a%20b%20c"), ("data:,a b%20c", "data:,a%20b%20c"), ("http://[::1]:81/ä%20", "http://[::1]:81/%C3%A4%20"),
    ("http://u:p%40 x@h/%20", "http://u:p%40%20x@h/%20"),
  ]) func whatIsEncodedIsNotEncodedAgain(typed: String, sent: String) throws {
    #expect(PercentEncoding.url(typed)?.absoluteString == sent)
    #expect(try RequestPlan(options: RequestOptionValues(), content: .none).request(for: typed).url?.absoluteString == sent)
  }

  @Test func queriesThatAreAddedAreNotEncodedAgain() throws {
    let url = try #require(URL(string: "http://h/x?a=%20"))
    #expect(try RequestOptionValues().adding(["b=|%20", "c=5%"], to: url).absoluteString == "http://h/x?a=%20&b=%7C%20&c=5%25")
  }

  @Test(arguments: [
    ("https://a.example/", "https://a.example/"), ("a.example/x", "https://a.example/x"), ("a.example:8443/x", "https://a.example:8443/x"),
    ("localhost:8080", "http://localhost:8080"), ("printer", "http://printer"), ("nas.local/", "http://nas.local/"),
    ("192.0.2.7:81/x", "http://192.0.2.7:81/x"), ("[::1]:81/x", "http://[::1]:81/x"), ("ftp.example.org/f", "ftp://ftp.example.org/f"),
    ("ann:secret@a.example", "https://ann:secret@a.example"), (":3000/x", "http://localhost:3000/x"), (":/x", "http://localhost/x"),
    ("//a.example", "https://a.example"), ("data:,x", "data:,x"), ("file:/etc/hosts", "file:/etc/hosts"), ("gopher:x", "gopher:x"),
    ("a.example?q=http://b", "https://a.example?q=http://b"),
  ]) func schemesAreAddedWhereTheyAreMissing(typed: String, meant: String) {
    #expect(TypedURL.completed(typed) == meant)
  }

  @Test func slashThatIsMissingBehindTheSchemeIsAdded() {
    for (typed, meant) in [("http:/a.example/x", "http://a.example/x"), ("HTTPS:/a", "HTTPS://a"), ("file:/etc", "file:/etc")] {
      #expect(TypedURL.completed(typed) == meant && TypedURL.hasScheme(typed))
    }
  }

  @Test func adviceOnPathsAndListingsFitsTheOption() {
    #expect(ForeignOptions.explanation("--request-target")?.contains("resolved") == false)
    #expect(ForeignOptions.explanation("-l")?.contains(";type=d") == true)
  }

  private func urls(_ pattern: String) throws -> [String] {
    let pattern = try URLPattern(pattern)
    return (0..<pattern.count).map { pattern[$0].url }
  }

  @Test func patternsStandForSeveralURLs() throws {
    #expect(try urls("h/f[1-3].bin") == ["h/f1.bin", "h/f2.bin", "h/f3.bin"])
    #expect(try urls("h/[008-011:2]") == ["h/008", "h/010"])
    #expect(try urls("h/[a-e:2]") == ["h/a", "h/c", "h/e"])
    #expect(try urls("h/{one,two}/[1-2]") == ["h/one/1", "h/one/2", "h/two/1", "h/two/2"])
    #expect(try urls("http://[::1]:80/{a,b}") == ["http://[::1]:80/a", "http://[::1]:80/b"])
    #expect(try urls(#"h/\{a\}\[1-2\]"#) == ["h/{a}[1-2]"])
    #expect(try urls("h/?a[]={1,2}&b[]=3") == ["h/?a[]=1&b[]=3", "h/?a[]=2&b[]=3"])
    #expect(try urls("h/") == ["h/"])
  }

  @Test(arguments: ["h/[1-", "h/{a", "h/[3-1]", "h/[x]", "h/{a,{b}}", "h/a}", "h/[1-2:0]", "h/[0-99999999]"])
  func patternsThatMakeNoSenseAreMalformedURLs(pattern: String) {
    #expect(throws: ToolFailure.self) { try URLPattern(pattern) }
  }

  @Test func valuesOfPatternsAreInNamesOfFiles() throws {
    #expect(
      try line("-o", "#2-#1-#3", "a.example/{x,y}/[1-2]").targets.map(\.destination) == [
        .file("1-x-#3"), .file("2-x-#3"), .file("1-y-#3"), .file("2-y-#3"),
      ])
    #expect(throws: UsageError.self) { try line("-o", "out", "a.example/[1-2]") }
    #expect(try line("-g", "a.example/[1-2]").targets.map(\.url) == ["https://a.example/[1-2]"])
  }

  @Test func eachURLHasItsOutput() throws {
    #expect(try line("-o", "a", "-o", "-", "x.example", "y.example").targets.map(\.destination) == [.file("a"), .standardOutput])
    #expect(throws: UsageError.self) { try line("-o", "a", "x.example", "y.example") }
  }

  // MARK: short forms

  @Test func itemsBehindAMethodAreTheRequest() throws {
    let options = try line(
      "post", "a.example/x", "name=ann o", "count:=3", "list:=[1, 2]", "X-A:b:c", "q==se arch", "Empty;", #"a\=b=c"#
    ).options.request
    #expect(options.method == "POST")
    #expect(options.data == [DataArgument(kind: .json, text: #"{"name": "ann o", "count": 3, "list": [1, 2], "a=b": "c"}"#)])
    #expect(options.header == ["Accept: application/json, */*;q=0.5", "X-A: b:c", "Empty;"])
    #expect(options.query == ["+q=se%20arch"])
  }

  @Test func jsonBehindAURLIsNoURL() throws {
    let items = try line("a.example/x", "a:=1", "b:=[2]")
    #expect(items.targets.map(\.url) == ["https://a.example/x"])
    #expect(items.options.request.data == [DataArgument(kind: .json, text: #"{"a": 1, "b": [2]}"#)])
  }

  @Test func filesMakeAFormOfItems() throws {
    let options = try line("POST", "a.example", "name=ann", "photo@p.png;type=image/x").options.request
    #expect(options.data.isEmpty)
    #expect(options.form == [.field(name: "name", text: "ann"), .file(name: "photo", path: "p.png", type: "image/x")])
    let form = try line("POST", "a.example", "a=b c", "d=e", "Content-Type:application/x-www-form-urlencoded").options.request
    #expect(form.data == [DataArgument(kind: .raw, text: "a=b+c"), DataArgument(kind: .raw, text: "d=e")])
  }

  @Test func severalURLsAreNoItems() throws {
    #expect(try line("a.example:8080", "b.example:8081/?a=b", "http://c.example/?q==x").targets.count == 3)
    #expect(try line("a.example", "name=ann").targets.count == 1)
    #expect(try line("a.example", "X-A:b").options.request.header == ["X-A: b"])
    #expect(try line("a.example", "X-A:1", "Referer:/a").options.request.header == ["X-A: 1", "Referer: /a"])
    #expect(try line("a.example", "localhost:80", "ann:secret@b.example").targets.count == 3)
    for (item, field) in [
      ("Authorization:Bearer t", "Authorization: Bearer t"), ("Cookie:a=b", "Cookie: a=b"),
      ("Accept:application/json", "Accept: application/json"),
      ("Referer:http://x/y", "Referer: http://x/y"), ("Host:foo", "Host: foo"), ("Range:bytes=0-1", "Range: bytes=0-1"), ("a:b", "a: b"),
      ("X-Foo;", "X-Foo;"), ("Empty;", "Empty;"),
    ] {
      let taken = try line("a.example", item)
      #expect(taken.options.request.header == [field] && taken.targets.count == 1, "\(item)")
    }
    for url in ["HTTP://b.example/", "data:,x", "file:/x", "localhost:80/a:b", "b.example;", "http:b"] {
      #expect(try line("a.example", url).targets.count == 2, "\(url)")
    }
    #expect(try line("get", "a.example").targets.map(\.url) == ["https://a.example"])
    #expect(try line("get").targets.map(\.url) == ["http://get"])
  }

  // MARK: files of options

  @Test func optionsComeFromFilesToo() throws {
    let text = """
      # what is always meant
      user-agent = "me \\"and\\" you"
      -H X-A: b
      --fail
      max-time: 3

      url=a.example
      """
    #expect(
      try ConfigFile.lines(in: text, from: "config").flatMap(\.arguments) == [
        "--user-agent", #"me "and" you"#, "-H", "X-A: b", "--fail", "--max-time", "3", "--url", "a.example",
      ])
    #expect(try ConfigFile.lines(in: text, from: "config").map(\.number) == [2, 3, 4, 5, 7])
  }

  @Test func commentsMayFollowValuesInFiles() throws {
    let text = """
      -m 3 # seconds
      -d "a # b" # quoted
      -d a#b
      url=a.example/#c\t# whole
      """
    #expect(
      try ConfigFile.lines(in: text, from: "config").flatMap(\.arguments) == [
        "-m", "3", "-d", "a # b", "-d", "a#b", "--url", "a.example/#c",
      ])
  }

  @Test func mistakesInFilesAreToldWithTheirLine() async throws {
    try await Tool.withDirectory { tool, directory in
      try Data("silent\n\n# c\nhedaer = x\n".utf8).write(to: directory.appending(path: "conf"))
      let outcome = try await tool.run("-q", "-K", "conf", "http://127.0.0.1:1/")
      #expect(outcome.status == 64)
      #expect(outcome.errors.hasPrefix("urlload: conf, line 4: There is no option --hedaer."), "\(outcome.errors)")
      for (text, complaint) in [
        ("silent = yes\n", "line 1: --silent takes nothing; leave \"yes\" out."), ("fail\n-sS -o foo\n", "line 2: -sS takes nothing"),
        ("config = other\n", "line 1: a file of options names no other"),
      ] {
        try Data(text.utf8).write(to: directory.appending(path: "conf"))
        let outcome = try await tool.run("-q", "-K", "conf", "http://127.0.0.1:1/")
        #expect(outcome.status == 64 && outcome.errors.contains(complaint), "\(outcome.errors)")
      }
      let folder = directory.appending(path: "urlload")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data("max-time = soon\n".utf8).write(to: folder.appending(path: "config"))
      let always = try await tool.run("http://127.0.0.1:1/", environment: ["XDG_CONFIG_HOME": directory.path])
      #expect(always.status == 64)
      #expect(always.errors.contains("\(folder.path)/config, line 1: "), "\(always.errors)")
    }
  }

  @Test(arguments: [
    "header = nocolon", "header = \"X-A: a\\nb\"", "user = \":x\"", "cookie = \"a=1\\n2\"", "checksum = sha256", "continue-at = x",
    "output = \"\"", "resolve = h", "doh-url = http://h/", "upload-file = \"\"", "pinnedpubkey = sha256//x", "socks5 = http://h",
  ]) func valuesThatMakeNoSenseInFilesAreToldWithTheirLine(line: String) async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "conf")
      try Data("silent\n\(line)\nmax-time = 3\n".utf8).write(to: file)
      let error = #expect(throws: UsageError.self) { try self.line("-K", file.path, "a.example") }
      #expect(error?.message.hasPrefix("\(file.path), line 2: ") == true, "\(error?.message ?? "")")
    }
  }

  /// To check all values again behind each line would take longer than the limit.
  @Test(arguments: ["header = \"X-A: b\"", "cookie = \"a=b\"", "resolve = h:1:127.0.0.1"])
  func filesOfManyLinesTakeOnePass(line: String) async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "conf")
      let lines = Array(repeating: line, count: 50_000) + ["header = nocolon"]
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      let error = #expect(throws: UsageError.self) { try self.line("-K", file.path, "a.example") }
      #expect(error?.message.hasPrefix("\(file.path), line 50001: ") == true, "\(error?.message ?? "")")
    }
  }

  @Test func valuesGivenBeforeAreNotCheckedAgain() throws {
    var options = LoadOptions()
    options.request.header = ["nocolon"]
    let known = options.extent
    options.request.header.append("X-A: b")
    try options.validateValues(behind: known)
    options.request.header.append("nocolon")
    #expect(throws: UsageError.self) { try options.validateValues(behind: known) }
  }

  @Test func valuesOnTheCommandLineAreNoFilesMistakes() async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "conf")
      try Data("silent\n".utf8).write(to: file)
      let error = #expect(throws: UsageError.self) { try self.line("-K", file.path, "-H", "nocolon", "a.example") }
      #expect(error?.message.hasPrefix("A header field is") == true, "\(error?.message ?? "")")
    }
  }

  /// They would be sent as other bytes, or name another file.
  @Test func argumentsThatAreNoTextAreRefused() async throws {
    let (program, url) = (try Tool.executable().path, "http://127.0.0.1:1/")
    for argument in [#"-d "$(printf 'a=\351')""#, #"-o "$(printf '\377')""#] {
      let script = "'\(program)' \(argument) \(url) 2>&1; echo $?"
      let text = String(decoding: try await ChildProcess.output(of: "sh", ["-c", script]), as: UTF8.self)
      #expect(text.hasPrefix("urlload: argument 2 isn't UTF-8") && text.hasSuffix("\n64\n"), "\(text)")
    }
  }

  @Test func emptyStandardInputHasNoOptions() async throws {
    let outcome = try await Tool().run("-K", "-", "data:,x")
    #expect((outcome.status, outcome.text) == (0, "x"), "\(outcome.errors)")
  }

  @Test func timesOfZeroAreNoLimit() throws {
    #expect(try line("-m", "3", "-m", "0", "a.example").options.request.maxTime == nil)
  }

  @Test func severalBodiesMayBeDropped() throws {
    let line = try line("-o", "/dev/null", "a.example", "b.example/[1-2]")
    #expect(line.targets.map(\.destination) == Array(repeating: .file("/dev/null"), count: 3))
    #expect(throws: UsageError.self) { try self.line("-o", "f", "a.example", "b.example") }
  }

  @Test func helpSaysWhichExitCodesAreNotCurls() async throws {
    let text = try await Tool().run("--help").text
    #expect(["64", "110", "128"].allSatisfy(text.contains))
  }

  @Test func formsAreTakenApart() throws {
    #expect(try FormArgument.parts("a=b;type=text/x;charset=y;filename=n").map { [$0.type, $0.filename] } == [["text/x;charset=y", "n"]])
    #expect(try FormArgument.parts(#"a="b;c\"d""#).map(\.content) == [.text(#"b;c"d"#)])
    #expect(try FormArgument.parts("a=@x,y;type=image/z").map(\.content) == [.file("x"), .file("y")])
    #expect(try FormArgument.parts("a=<x").map(\.content) == [.textFile("x")])
    #expect(throws: UsageError.self) { try FormArgument.parts("a=b;encoder=base64") }
  }

  @Test func loginsAreFoundByHost() {
    let file = NetrcFile(
      "# c\nmachine a.example login ann password \"s p\\\"q\"\nmacdef init\nls\n\nmachine b.example\n  login bob\ndefault login x password y"
    )
    #expect(file.login(for: "A.example")?.user == "ann")
    #expect(file.login(for: "a.example")?.password == "s p\"q")
    #expect(file.login(for: "b.example")?.password == "")
    #expect(file.login(for: "c.example")?.user == "x")
  }

  @Test func linesAreWrittenForCurl() throws {
    #expect(
      CurlLine.text(try line("post", "a.example/x", "a=b", "X:y", "-m", "3", "-k"))
        == "curl --location --compressed --http2 --max-time 3 --insecure --request POST --header 'Accept: application/json, */*;q=0.5' --header 'X: y' --json '{\"a\": \"b\"}' https://a.example/x"
    )
  }
}
