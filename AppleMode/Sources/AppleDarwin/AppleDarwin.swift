// What `import Darwin` finds in Apple mode: the C library, and the names of Darwin's that everyday code uses besides.
@_exported import CAppleDarwin
@_exported import Glibc
