// The names of Apple's Security framework that code around URLSession uses: with this module, `#if canImport(Security)` holds on Linux.
@_exported import URLLoadingSystem
