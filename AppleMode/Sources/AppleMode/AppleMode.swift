// What every file of a target in Apple mode sees besides its imports: what `import Foundation` brings on Apple's platforms. That is Darwin's C
// library too, of which Foundation for Linux has all but what is in CAppleDarwin.
@_exported import CAppleDarwin
@_exported import URLLoadingSystem

/// Runs `body`. Without Objective-C there are no autoreleased objects.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
