@_exported import URLLoadingSystem
