import Foundation

// Names of Core Foundation's that code around certificates and proxies uses. On Linux the classes of Foundation take their place: `as CFData`, `as
// Data`, `as? [SecCertificate]` and the like compile and work unchanged.

/// Bytes: `NSData`.
public typealias CFData = NSData
/// Text: `NSString`.
public typealias CFString = NSString
/// A list: `NSArray`.
public typealias CFArray = NSArray
/// A dictionary: `NSDictionary`.
public typealias CFDictionary = NSDictionary
/// A URL: `NSURL`.
public typealias CFURL = NSURL
/// A date: `NSDate`.
public typealias CFDate = NSDate
/// A number: `NSNumber`.
public typealias CFNumber = NSNumber
/// A truth value: `NSNumber`.
public typealias CFBoolean = NSNumber
/// An error: `NSError`.
public typealias CFError = NSError
/// Any object.
public typealias CFTypeRef = AnyObject
/// Never needed here: pass nil.
public typealias CFAllocator = AnyObject
/// A position or count.
public typealias CFIndex = Int
/// Seconds since 2001, as `Date.timeIntervalSinceReferenceDate`.
public typealias CFAbsoluteTime = Double

/// The default allocator: there is only one. `nonisolated(unsafe)`: a constant that is nil.
nonisolated(unsafe) public let kCFAllocatorDefault: CFAllocator? = nil
/// The truth value true.
public let kCFBooleanTrue: CFBoolean? = true as NSNumber
/// The truth value false.
public let kCFBooleanFalse: CFBoolean? = false as NSNumber

/// The number of bytes.
public func CFDataGetLength(_ data: CFData) -> CFIndex { data.length }

/// The bytes; valid as long as `data`.
public func CFDataGetBytePtr(_ data: CFData) -> UnsafePointer<UInt8>? {
  data.length == 0 ? nil : data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The number of elements.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// What went wrong, for people.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription as NSString }

/// The error's code, such as `errSecCertificateExpired`.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// The error's domain: `NSOSStatusErrorDomain` for those of the product `Security`.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain as NSString }
