// What `import Darwin` finds in Apple mode: the C library, and the names of Darwin's that everyday code uses besides.
@_exported import CAppleDarwin

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#endif
