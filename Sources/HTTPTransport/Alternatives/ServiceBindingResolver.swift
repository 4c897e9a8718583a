import CLoadingNames
import LoadingModel
import NIOPosix
import ProtocolRules

/// Knows the HTTPS records of names (RFC 9460).
package protocol ServiceBindingResolver: Sendable {
  /// Asks for the records of `name`. `answer` is called once, on any thread; with nil if nothing is answered that can be used.
  func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void)
}

#if HTTP3
  /// Asks the DNS by the system's resolver and its settings (resolv.conf(5)). The resolver's calls block: they run on threads of their own.
  package struct SystemServiceBindings: ServiceBindingResolver {
    /// The most questions that are queued or running at once: beyond it, as with slow name servers, `ask` answers nil and loads do without records.
    private static let limit = 64
    private static let waiting = Mutex(0)
    /// The longest message that TCP carries (RFC 1035, 4.2.2).
    private static let messageLimit = 65_535

    package init() {}

    package func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void) {
      guard let host = name.host else { return answer(nil) }
      let hasRoom = SystemServiceBindings.waiting.withLock { waiting in
        guard waiting < SystemServiceBindings.limit else { return false }
        waiting += 1
        return true
      }
      guard hasRoom else { return answer(nil) }
      BlockingThreads.services.submit {
        defer { SystemServiceBindings.waiting.withLock { $0 -= 1 } }
        // The DNS isn't asked about names that the system's own table (/etc/hosts) has addresses for.
        answer(SystemNames.addresses(of: host) == nil ? SystemServiceBindings.lookUp(host, name) : ServiceBindingAnswer(.none))
      }
    }

    private static func lookUp(_ host: String, _ name: DNSName) -> ServiceBindingAnswer? {
      var length: Int32 = -1
      let message = [UInt8](unsafeUninitializedCapacity: messageLimit) { buffer, count in
        length = uls_name_question(host, Int32(ServiceBindingAnswer.recordType), buffer.baseAddress, buffer.count)
        count = max(0, Int(length))
      }
      if length < 0 { return nil }
      return length == 0 ? ServiceBindingAnswer(.none) : ServiceBindingAnswer(message, to: name)
    }
  }
#endif
