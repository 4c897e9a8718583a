#if HTTP3
  import LoadingModel

  extension ConnectionPool {
    /// Opens connections of HTTP/3 as well from now on; to be called before the first lease.
    ///
    /// - Parameter sendsEarlyData: Whether safe requests may be sent with the first packet.
    package func enableHTTP3(_ sockets: SocketSettings, _ policy: TLSPolicyRule?, sendsEarlyData: Bool) {
      opener = HTTP3Opener(
        executor: executor, clock: clock, sockets: sockets, hosts: dialer.hosts, tls: tls, policy: policy, identities: identities,
        sendsEarlyData: sendsEarlyData)
    }
  }
#endif
