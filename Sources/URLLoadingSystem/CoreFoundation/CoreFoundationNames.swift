import Foundation

// Core Foundation types that code around certificates and proxies uses. On Linux they are Foundation's classes: `as CFData`, `as Data`, `as?
// [SecCertificate]` and the like compile and work unchanged.

/// Core Foundation's type for bytes: `NSData` on Linux.
public typealias CFData = NSData
/// Core Foundation's type for text: `NSString` on Linux.
public typealias CFString = NSString
/// Core Foundation's type for lists: `NSArray` on Linux.
public typealias CFArray = NSArray
/// Core Foundation's type for dictionaries: `NSDictionary` on Linux.
public typealias CFDictionary = NSDictionary
/// Core Foundation's type for URLs: `NSURL` on Linux.
public typealias CFURL = NSURL
/// Core Foundation's type for dates: `NSDate` on Linux.
public typealias CFDate = NSDate
/// Core Foundation's type for numbers: `NSNumber` on Linux.
public typealias CFNumber = NSNumber
/// Core Foundation's type for booleans: `NSNumber` on Linux.
public typealias CFBoolean = NSNumber
/// Core Foundation's type for errors: `NSError` on Linux.
public typealias CFError = NSError
/// Any Core Foundation object: any object on Linux.
public typealias CFTypeRef = AnyObject
/// The type of the allocator that Core Foundation functions take first; there are no allocators on Linux: pass nil.
public typealias CFAllocator = AnyObject
/// A position in a collection, or a count.
public typealias CFIndex = Int
/// Seconds since 2001, as `Date.timeIntervalSinceReferenceDate`.
public typealias CFAbsoluteTime = Double

/// The default allocator: nil, as there is no other. `nonisolated(unsafe)` is safe for a constant that is nil.
nonisolated(unsafe) public let kCFAllocatorDefault: CFAllocator? = nil
/// The boolean true, as a Core Foundation object.
public let kCFBooleanTrue: CFBoolean? = true as NSNumber
/// The boolean false, as a Core Foundation object.
public let kCFBooleanFalse: CFBoolean? = false as NSNumber

/// The number of bytes in `data`.
public func CFDataGetLength(_ data: CFData) -> CFIndex { data.length }

/// A pointer to the bytes, valid as long as `data`; nil if there are none.
public func CFDataGetBytePtr(_ data: CFData) -> UnsafePointer<UInt8>? {
  data.length == 0 ? nil : data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// The number of elements of `array`.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// The error's description, to be shown to people.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription as NSString }

/// The error's code, such as `errSecCertificateExpired`.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// The error's domain: `NSOSStatusErrorDomain` for errors of the product `Security`.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain as NSString }
