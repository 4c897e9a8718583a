// Loads with swift-http-types' requests and responses. It has the names of HTTPTypesFoundation, which only supports swift-corelibs-foundation's
// URLSession.
#if HTTPTypes
  @_exported import HTTPTypes
#endif
