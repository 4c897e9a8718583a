// Loads of swift-http-types' requests and responses, with the names of HTTPTypesFoundation, which knows the toolchain's URLSession alone.
#if HTTPTypes
  @_exported import HTTPTypes
#endif
