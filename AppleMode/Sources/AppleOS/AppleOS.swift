// What `import os` and `import os.log` find in Apple mode: logging to standard error, and locks.
@_exported import CAppleDarwin
