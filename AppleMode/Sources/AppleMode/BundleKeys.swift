public import Foundation
public import URLLoadingSystem

// Core Foundation's names of the keys in an Info.plist, as sources use them: `Bundle.main.object(forInfoDictionaryKey: kCFBundleVersionKey as
// String)`. `nonisolated(unsafe)`: constants, of text that isn't changed.

/// The version of the build: "CFBundleVersion".
nonisolated(unsafe) public let kCFBundleVersionKey: CFString! = "CFBundleVersion" as NSString
/// The bundle's identifier: "CFBundleIdentifier".
nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier" as NSString
/// The executable's name: "CFBundleExecutable".
nonisolated(unsafe) public let kCFBundleExecutableKey: CFString! = "CFBundleExecutable" as NSString
/// The short name: "CFBundleName".
nonisolated(unsafe) public let kCFBundleNameKey: CFString! = "CFBundleName" as NSString
/// The version of the Info.plist's format: "CFBundleInfoDictionaryVersion".
nonisolated(unsafe) public let kCFBundleInfoDictionaryVersionKey: CFString! = "CFBundleInfoDictionaryVersion" as NSString
/// The language that the bundle was made in: "CFBundleDevelopmentRegion".
nonisolated(unsafe) public let kCFBundleDevelopmentRegionKey: CFString! = "CFBundleDevelopmentRegion" as NSString
/// The languages of what the bundle says itself: "CFBundleLocalizations".
nonisolated(unsafe) public let kCFBundleLocalizationsKey: CFString! = "CFBundleLocalizations" as NSString
