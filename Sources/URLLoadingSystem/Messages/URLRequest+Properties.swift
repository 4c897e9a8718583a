import LoadingModel

/// Storage behind `URLProtocol.property(forKey:in:)`; the values travel with every copy of the request.
extension LoadRequest {
  package func property(forKey key: String) -> Any? { fields.properties?.values[key] }

  /// nil removes the value.
  package mutating func setProperty(_ value: Any?, forKey key: String) {
    mutate { fields in
      var values = fields.properties?.values ?? [:]
      values[key] = value
      fields.properties = values.isEmpty ? nil : RequestProperties(values)
    }
  }
}
