/// How a request's packets ask routers to be treated, by the request's service type (RFC 4594).
package struct TrafficClass: Sendable, Hashable {
  /// The differentiated services code point (RFC 2474), 0…63.
  package let codePoint: UInt8

  package static let standard = TrafficClass(codePoint: 0)

  private init(codePoint: UInt8) { self.codePoint = codePoint }

  /// - Parameter serviceType: Raw value of `NSURLRequest.NetworkServiceType`.
  package init(serviceType: UInt) {
    codePoint =
      switch serviceType {
      case 1, 11: 40  // voip and call signaling: CS5, signaling
      case 2: 34  // video: AF41, multimedia conferencing
      case 3: 8  // background: CS1, low-priority data
      case 4: 46  // voice: EF, telephony
      case 6: 18  // responsive data: AF21, low-latency data
      case 8: 26  // streaming: AF31, multimedia streaming
      case 9: 32  // responsive audio and video: CS4, real-time interactive
      default: 0
      }
  }

  /// The octet of the IPv4 header, or IPv6's traffic class, that has the code point (RFC 2474, 3).
  package var octet: UInt8 { codePoint << 2 }

  /// The priority of a socket in Linux's own queues (tc-prio(8)): 2 bulk, 0 best effort, 6 interactive.
  package var queuePriority: Int {
    switch codePoint {
    case 0: 0
    case 8: 2
    default: 6
    }
  }
}
