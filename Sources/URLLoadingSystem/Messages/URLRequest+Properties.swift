import LoadingModel

/// The properties of `URLProtocol.property(forKey:in:)`; they are copied with the request.
extension LoadRequest {
  package func property(forKey key: String) -> Any? { fields.properties?.values[key] }

  /// Stores a `URLProtocol` property with the request; nil removes it.
  package mutating func setProperty(_ value: Any?, forKey key: String) {
    mutate { fields in
      var values = fields.properties?.values ?? [:]
      values[key] = value
      fields.properties = values.isEmpty ? nil : RequestProperties(values)
    }
  }
}
