import Foundation

/// What the program calls itself, as networking packages put it together from the bundle's Info.plist.
public enum UserAgent {
  public static func text(of bundle: Bundle = .main) -> String {
    let info = bundle.infoDictionary
    let executable = (info?[kCFBundleExecutableKey as String] as? String) ?? "unknown"
    let identifier = info?[kCFBundleIdentifierKey as String] as? String ?? "unknown"
    let build = bundle.object(forInfoDictionaryKey: kCFBundleVersionKey as String) as? String ?? "unknown"
    #if os(macOS)
      let system = "macOS"
    #elseif os(Linux)
      let system = "Linux"
    #else
      let system = "another system"
    #endif
    return "\(executable) (\(identifier); build:\(build); \(system))"
  }
}
