import NIOCore

// The handlers of connections, for channels that are connected and, with TLS, secured.

extension ConnectionParts {
  func http1(on channel: any Channel, owner: (any HTTP1ConnectionOwner)?) -> HTTP1Connection {
    timings.connectEnd = clock.now
    return HTTP1Connection(self, facts(of: channel), owner: owner)
  }

  /// The handler for a connection whose server has chosen HTTP/2 by ALPN.
  func http2(on channel: any Channel, owner: (any MultiplexedConnectionOwner)?) -> HTTP2Connection {
    timings.connectEnd = clock.now
    return HTTP2Connection(self, facts(of: channel), owner: owner)
  }
}
