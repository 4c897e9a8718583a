import Foundation

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: DropIn BASE-URL")
  print("BASE-URL is that of a server with the routes /get /post /status /redirect /bytes /stream /headers /gzip.")
  exit(64)
}

let checks = Checks(base: base)
await identityChecks(checks)
await completionHandlerChecks(checks)
await delegateChecks(checks)
await asyncChecks(checks)
await errorChecks(checks)
await urlProtocolChecks(checks)
await contentsChecks(checks)
await checks.report()
