import BackgroundTransfers
import Foundation
import HTTPTransport
import LoadingModel
import Stores
import URLLoadingSystem

/// What the environment brings about, a line each: for tests of programs that have more rights than their callers.
enum Surroundings {
  static func describe() {
    let tls = TLSEnvironment.ofProcess
    let location = StoreLocation.standard
    let proxies = CFNetworkCopySystemProxySettings()?.takeRetainedValue() as? [String: Any] ?? [:]
    let lines = [
      "privileged \(ProcessEnvironment.isPrivileged)",
      "variables \(ProcessEnvironment.variables.count)",
      "daemon \(path(DaemonStarter.executable(environment: ProcessEnvironment.variables)))",
      "trust \(tls.trust.file ?? "none") \(tls.trust.folders.joined(separator: ":"))",
      "log \(tls.keyLog ?? "none")",
      "transport security \(URLSessionAppTransportSecurity.current == nil ? "off" : "on")",
      "proxies \(proxies.count)",
      "data \(path(location.data))",
      "settings \(path(location.settings))",
      "launched \(ProcessEnvironment.value(SessionTerms.Launch.variable) ?? "no")",
    ]
    print(lines.joined(separator: "\n"))
  }

  private static func path(_ url: URL?) -> String { url?.path(percentEncoded: false) ?? "none" }
}
