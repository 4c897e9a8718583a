// The names of Apple's Security framework that code around URLSession uses, so that `#if canImport(Security)` finds them here.
@_exported import URLLoadingSystem
