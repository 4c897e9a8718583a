import LoadingModel

extension LoadRequest {
  /// The request without `Authorization` and `Proxy-Authorization`, for logs and stores.
  package var withoutAuthorization: LoadRequest {
    let names = [ProtectionSpace.Peer.server, .proxy].map(\.authorizationField)
    guard names.contains(where: headers.contains) else { return self }
    var request = self
    request.mutate { fields in
      for name in names { fields.headers.remove(name) }
    }
    return request
  }
}
