import Foundation
import Testing

/// What proxy scripts can call, and what they can't do: the engine alone.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: ProxyScriptEngine.isAvailable, "no engine: build with the package trait PAC, or run `scripts/tests/test-pac`"))
struct ProxyScriptEngineTests {
  /// Answers with the value of the expression that is given as the host.
  private static let calculator = "function FindProxyForURL(url, host) { return String(eval(host)) }"

  private func expect(_ table: [(expression: String, value: String)], setup: String = "", sourceLocation: SourceLocation = #_sourceLocation)
  {
    let engine = ProxyScriptEngine(setup + Self.calculator)
    for row in table {
      #expect(engine.ask(row.expression) == .answer(row.value), "\(row.expression)", sourceLocation: sourceLocation)
    }
  }

  // MARK: functions

  @Test func namesAreJudged() {
    expect([
      ("isPlainHostName('www')", "true"), ("isPlainHostName('www.a.test')", "false"),
      ("dnsDomainIs('www.a.test', '.a.test')", "true"), ("dnsDomainIs('WWW.A.TEST', '.a.test')", "true"),
      ("dnsDomainIs('www', '.a.test')", "false"), ("dnsDomainIs('www.b.test', '.a.test')", "false"),
      ("localHostOrDomainIs('www.a.test', 'www.a.test')", "true"), ("localHostOrDomainIs('www', 'www.a.test')", "true"),
      ("localHostOrDomainIs('www.b.test', 'www.a.test')", "false"), ("localHostOrDomainIs('home.a.test', 'www.a.test')", "false"),
      ("localHostOrDomainIs('ww', 'www.a.test')", "false"),
      ("dnsDomainLevels('www')", "0"), ("dnsDomainLevels('www.a.test')", "2"),
    ])
  }

  @Test func patternsAreThoseOfAShell() {
    expect([
      ("shExpMatch('http://a.test/people/ari/index.html', '*/ari/*')", "true"),
      ("shExpMatch('http://a.test/people/bob/index.html', '*/ari/*')", "false"),
      ("shExpMatch('a.b', 'a?b')", "true"), ("shExpMatch('a.b', 'a.b')", "true"), ("shExpMatch('axb', 'a.b')", "false"),
      ("shExpMatch('', '*')", "true"), ("shExpMatch('', '?')", "false"), ("shExpMatch('abc', 'ab')", "false"),
      ("shExpMatch('a+b', 'a+b')", "true"), ("shExpMatch('(a)', '(*)')", "true"), ("shExpMatch('abcabd', '*abd')", "true"),
      ("shExpMatch(Array(5001).join('a'), '*a*a*a*a*a*b')", "false"),
    ])
  }

  @Test func addressesAreLookedUpAndCompared() {
    expect([
      ("isInNet('198.95.249.79', '198.95.249.79', '255.255.255.255')", "true"),
      ("isInNet('198.95.1.1', '198.95.0.0', '255.255.0.0')", "true"), ("isInNet('198.96.1.1', '198.95.0.0', '255.255.0.0')", "false"),
      ("isInNet('localhost', '127.0.0.0', '255.0.0.0')", "true"), ("isInNet('a..b', '0.0.0.0', '0.0.0.0')", "false"),
      ("dnsResolve('localhost')", "127.0.0.1"), ("dnsResolve('a..b')", "null"),
      ("isResolvable('localhost')", "true"), ("isResolvable('a..b')", "false"),
      ("convert_addr('104.16.41.2')", "1745889538"), ("convert_addr('255.255.255.255')", "4294967295"), ("convert_addr('x')", "0"),
      ("/^\\d+\\.\\d+\\.\\d+\\.\\d+$/.test(myIpAddress())", "true"),
    ])
  }

  @Test(arguments: ["", "GMT"]) func daysOfTheWeekAreCompared(_ zone: String) {
    let setup = """
      function day(offset) {
        var now = new Date(), today = \(zone.isEmpty ? "now.getDay()" : "now.getUTCDay()");
        return ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"][(today + offset + 7) % 7];
      }
      function range() { var list = [].slice.call(arguments).map(day); \(zone.isEmpty ? "" : "list.push('GMT');") return weekdayRange.apply(null, list) }

      """
    expect(
      [
        ("range(0)", "true"), ("range(1)", "false"), ("range(0, 0)", "true"), ("range(-1, 1)", "true"), ("range(0, 3)", "true"),
        ("range(-3, 0)", "true"), ("range(1, 2)", "false"), ("range(1, -1)", "false"), ("range(2, 0)", "true"),
      ], setup: setup)
  }

  @Test func timesOfDayAreCompared() {
    // The clock may strike between the two looks at it: the hour before counts, too.
    let setup = """
      function hour(offset) { return (new Date().getHours() + offset + 24) % 24 }
      function utc(offset) { return (new Date().getUTCHours() + offset + 24) % 24 }

      """
    expect(
      [
        ("timeRange(hour(0)) || timeRange(hour(0))", "true"), ("timeRange(hour(6))", "false"),
        ("timeRange(utc(0), 'GMT') || timeRange(utc(0), 'GMT')", "true"), ("timeRange(utc(6), 'GMT')", "false"),
        ("timeRange(hour(-1), hour(2))", "true"), ("timeRange(hour(4), hour(6))", "false"),
        ("timeRange(hour(-1), 0, hour(2), 0)", "true"), ("timeRange(hour(4), 30, hour(6), 30)", "false"),
        ("timeRange(0, 0, 0, 23, 59, 59)", "true"), ("timeRange(hour(4), 0, 0, hour(6), 0, 0)", "false"),
        ("timeRange(utc(-1), 0, 0, utc(2), 0, 0, 'GMT')", "true"),
      ], setup: setup)
  }

  @Test func datesAreCompared() {
    let setup = """
      var months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
      function now() { return new Date() }
      function day() { return now().getDate() }
      function month(offset) { return months[(now().getMonth() + (offset || 0) + 12) % 12] }
      function year(offset) { return now().getFullYear() + (offset || 0) }
      // A range must not be tried while midnight passes.
      function twice(test) { return test() || test() }

      """
    expect(
      [
        ("twice(function () { return dateRange(day()) })", "true"), ("dateRange(1, 31)", "true"),
        ("twice(function () { return dateRange(month()) })", "true"), ("dateRange(month(2))", "false"),
        ("dateRange('JAN', 'DEC')", "true"), ("dateRange(month(-1), month(1))", "true"), ("dateRange(month(2), month(4))", "false"),
        ("twice(function () { return dateRange(year()) })", "true"), ("dateRange(year(1))", "false"),
        ("dateRange(year(-1), year(1))", "true"), ("dateRange(1995, 1997)", "false"),
        ("twice(function () { return dateRange(day(), month(), year()) })", "true"), ("dateRange(1, 'JAN', 1995)", "false"),
        ("dateRange(1, 'JAN', 31, 'DEC')", "true"), ("dateRange('JAN', year(-1), 'DEC', year(1))", "true"),
        ("dateRange(1, 'JAN', 1995, 31, 'DEC', 1996)", "false"), ("dateRange(1, 'JAN', year(-1), 31, 'DEC', year(1))", "true"),
        ("dateRange(1, 'JAN', year(-1), 31, 'DEC', year(1), 'GMT')", "true"), ("dateRange('JAN', 'DEC', 'GMT')", "true"),
      ], setup: setup)
  }

  @Test func scriptSeesURLAndHostAndWhatItSaidBefore() {
    let engine = ProxyScriptEngine("var asked = 0; function FindProxyForURL(url, host) { return url + ' ' + host + ' ' + ++asked }")
    #expect(engine.ask("a.test", url: "https://a.test/") == .answer("https://a.test/ a.test 1"))
    #expect(engine.ask("b.test", url: "http://b.test:81/") == .answer("http://b.test:81/ b.test 2"))
  }

  @Test(arguments: ["alert('x')", "null", "{}", "[1, 2]", "7"]) func answersOfOtherTypesAreTakenAsText(_ value: String) {
    let engine = ProxyScriptEngine("function FindProxyForURL() { return \(value) }")
    guard case .answer = engine.ask("a.test") else {
      Issue.record("\(engine.outcome)")
      return
    }
  }

  @Test func scriptHasNothingButTheLanguage() {
    expect(
      ["require", "process", "print", "console", "readFile", "XMLHttpRequest", "fetch", "Duktape.modSearch"].map {
        ("(function () { try { return typeof \($0) } catch (e) { return 'undefined' } })()", "undefined")
      })
  }

  // MARK: limits

  @Test(arguments: [
    "while (true) {}", "function FindProxyForURL() { while (true) {} }", "function FindProxyForURL() { for (;;) dnsResolve('localhost') }",
  ])
  func endlessScriptsAreEnded(_ script: String) {
    let engine = ProxyScriptEngine(script, patience: 300)
    #expect(engine.ask("a.test") == .ended)
  }

  @Test(
    arguments: [
      "var a = []; while (true) a.push(new ArrayBuffer(1 << 20));", "var s = 'x'; while (true) s += s;",
      "var o = {}; for (var i = 0; ; i++) o['k' + i] = [i];",
    ])
  func memoryIsBounded(_ bomb: String) {
    for script in [bomb, "function FindProxyForURL() { \(bomb) }"] {
      let engine = ProxyScriptEngine(script, memory: 8 << 20, patience: 60_000)
      switch engine.ask("a.test") {
      case .answer(let text): Issue.record("answered \(text.prefix(50))")
      case .failed, .ended: break
      }
    }
  }

  @Test func hugeAnswersAreCut() {
    let engine = ProxyScriptEngine("function FindProxyForURL() { var s = 'y'; while (s.length < 2000000) s += s; return s }")
    #expect(engine.ask("a.test") == .answer(String(repeating: "y", count: 4095)))
    // What was cut off isn't taken for the beginning of the next answer.
    #expect(engine.ask("a.test") == .answer(String(repeating: "y", count: 4095)))
  }

  @Test func failuresAreTheScriptsOwnAndItCanBeAskedAgain() {
    let engine = ProxyScriptEngine(
      """
      function FindProxyForURL(url, host) {
        if (host === "throw") throw new Error("no way");
        if (host === "deep") return 1 + FindProxyForURL(url, host);
        if (host === "object") return { toString: function () { throw 1 } };
        return "DIRECT";
      }
      """)
    #expect(engine.ask("throw") == .failed("Error: no way"))
    guard case .failed = engine.ask("deep") else {
      Issue.record("\(engine.outcome)")
      return
    }
    _ = engine.ask("object")
    #expect(engine.ask("a.test") == .answer("DIRECT"))
  }

  @Test(arguments: ["syntax error", "var nothing", "var FindProxyForURL = 7"]) func whatIsNoScriptFails(_ script: String) {
    guard case .failed(let message) = ProxyScriptEngine(script).ask("a.test") else {
      Issue.record("it was run")
      return
    }
    #expect(!message.isEmpty)
  }

  @Test func tooLongQuestionsAreRefused() {
    let engine = ProxyScriptEngine("function FindProxyForURL() { return 'DIRECT' }")
    guard case .failed = engine.ask(String(repeating: "h", count: 100_000)) else {
      Issue.record("\(engine.outcome)")
      return
    }
    #expect(engine.ask("a.test") == .answer("DIRECT"))
  }
}
