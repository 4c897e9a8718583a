import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore
import ProtocolRules

/// Resolves host names by a DNS server that is asked over HTTPS (RFC 8484), through a `URLSession` of its own.
///
/// Owned by the load session whose names it resolves; its own session ends with it.
final class DNSOverHTTPS: HostResolver {
  /// Why a DNS query has no usable answer: the server can't be asked, or its message is faulty.
  private enum Failure: Error {
    case unreachable(String)
    case dns(DNSFault)
  }

  private let url: URL
  private let clock: any LoadClock
  private let session: URLSession
  private let requiresValidation: Bool
  private let fallsBackToSystem: Bool

  init(_ server: URLSessionNameResolution.DNSServer, for configuration: URLSessionConfiguration, requiresValidation: Bool) {
    url = server.url
    clock = configuration.loadClock ?? SystemClock()
    session = URLSession(configuration: DNSOverHTTPS.configuration(server, for: configuration))
    session.sessionDescription = "DNS over HTTPS"
    self.requiresValidation = requiresValidation
    // The system's resolver doesn't validate by DNSSEC: it can't replace this one where validation is required.
    fallsBackToSystem = server.fallsBackToSystem && !requiresValidation
  }

  deinit { session.finishTasksAndInvalidate() }

  /// The configuration of the session that asks the DNS server: without cookies, credentials or the app's header fields, which would identify the
  /// user, and without a proxy, whose own name would have to be resolved first.
  private static func configuration(
    _ server: URLSessionNameResolution.DNSServer, for given: URLSessionConfiguration
  ) -> URLSessionConfiguration {
    let own = URLSessionConfiguration.ephemeral
    own.httpCookieStorage = nil
    own.urlCredentialStorage = nil
    own.urlCache = nil
    own.serviceBindingResolver = nil
    own.proxySettings = ProxySettings()
    own.protocolClasses = []
    own.timeoutIntervalForRequest = LookUpRules.patience
    own.timeoutIntervalForResource = LookUpRules.patience
    own.trustedRootsPEM = given.trustedRootsPEM
    own.tlsEnvironment = given.tlsEnvironment
    own.tlsMinimumSupportedProtocolVersion = given.tlsMinimumSupportedProtocolVersion
    own.tlsMaximumSupportedProtocolVersion = given.tlsMaximumSupportedProtocolVersion
    // Encrypted Client Hello isn't required for the DNS server itself, because asking for its keys would need that server.
    own.encryptedClientHello = given.encryptedClientHello == .off ? .off : .automatic
    own.loadClock = given.loadClock
    own.allowsCellularAccess = given.allowsCellularAccess
    own.allowsExpensiveNetworkAccess = given.allowsExpensiveNetworkAccess
    own.allowsConstrainedNetworkAccess = given.allowsConstrainedNetworkAccess
    own.networkObserver = given.networkObserver
    if !server.bootstrap.isEmpty { own.nameResolution = .fixed(["*": server.bootstrap]) }
    return own
  }

  func ask(
    _ host: String, _ port: Int, _ family: AddressFamily,
    _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    Task {
      do throws(Failure) {
        guard let name = DNSName(host) else { return answer(.failure(.absent(host))) }
        let found = try await addresses(of: name, family == .v6 ? .v6 : .v4)
        let addresses = FixedResolver.addresses(found.addresses, of: family)
        answer(addresses.isEmpty ? .failure(.absent(host)) : .success(addresses))
        if addresses.isEmpty {
          // Most names lack one family: that is cached for `addressLifetime`, as addresses are for which the DNS gives no lifetime.
          lifetime(LookUpRules.addressLifetime)
        } else if let seconds = found.lifetime {
          lifetime(Double(seconds))
        }
      } catch {
        if fallsBackToSystem { return SystemResolver().ask(host, port, family, answer, lifetime: lifetime) }
        answer(.failure(.unanswered(host, text(error, host))))
      }
    }
  }

  private func addresses(
    of name: DNSName, _ type: DNSQuestion.RecordType
  ) async throws(Failure) -> (addresses: [IPAddress], lifetime: UInt32?) {
    var question = DNSQuestion(name, type)
    var lifetime: UInt32?
    // One deadline for all queries that the look-up of a name needs, its aliases included.
    let deadline = clock.now.advanced(bySeconds: LookUpRules.patience)
    for _ in 0...LookUpRules.aliasLimit {
      let left = deadline.seconds(since: clock.now)
      guard left > 0 else { throw .unreachable("it did not answer within \(Int(LookUpRules.patience)) seconds") }
      let (bytes, age) = try await message(question, within: left)
      let answer: AddressAnswer
      do throws(DNSFault) {
        answer = try AddressAnswer(bytes, to: question)
      } catch { throw .dns(error) }
      if requiresValidation, !answer.isAuthenticated { throw .dns(.unvalidated) }
      lifetime = [lifetime, answer.lifetime.map { $0 > age ? $0 - age : 0 }].compactMap(\.self).min()
      switch answer.content {
      case .addresses(let addresses): return (addresses, lifetime)
      case .none, .absent: return ([], lifetime)
      case .alias(let target): question = DNSQuestion(target, type)
      }
    }
    throw .dns(.tooManyAliases)
  }

  private func text(_ failure: Failure, _ host: String) -> String {
    let server = "the resolver \(url.host ?? "")"
    return switch failure {
    case .unreachable(let text): "\(server) can't be asked for “\(host)”: \(text)"
    case .dns(let fault): "\(server) didn't say the addresses of “\(host)”: \(fault.text)"
    }
  }

  /// Sends a DNS query; returns the answer's bytes and the response's `Age` in seconds. RFC 8484, 5.1: the client "MUST account for the Age of a
  /// response when calculating the DNS TTL".
  private func message(
    _ question: DNSQuestion, within seconds: Double = LookUpRules.patience
  ) async throws(Failure) -> (bytes: [UInt8], age: UInt32) {
    guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "https+unix" else {
      throw .unreachable("its URL must begin with https://")
    }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.timeoutInterval = seconds
    request.httpBody = Data(question.message)
    request.setValue(DNSOverHTTPS.mediaType, forHTTPHeaderField: "Content-Type")
    request.setValue(DNSOverHTTPS.mediaType, forHTTPHeaderField: "Accept")
    do {
      let (chunks, response) = try await session.chunks(for: request)
      guard let status = (response as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {
        chunks.task.cancel()
        throw Failure.unreachable("it answered with another status than 200")
      }
      guard response.mimeType?.lowercased() == DNSOverHTTPS.mediaType else {
        chunks.task.cancel()
        throw Failure.unreachable("its answer isn't of the type \(DNSOverHTTPS.mediaType)")
      }
      let age = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Age").flatMap { UInt32($0) } ?? 0
      return ([UInt8](try await chunks.collect(upTo: LookUpRules.messageLimit)), age)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .unreachable((error as? URLError)?.localizedDescription ?? "\(error)")
    }
  }

  private static let mediaType = "application/dns-message"
}

extension DNSOverHTTPS: ServiceBindingResolver {
  func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void) {
    Task {
      guard let (message, age) = try? await message(DNSQuestion(name, .https)) else { return answer(nil) }
      var found = ServiceBindingAnswer(message, to: name)
      if let seconds = found?.lifetime { found?.lifetime = seconds > age ? seconds - age : 0 }
      answer(requiresValidation && found?.isAuthenticated != true ? nil : found)
    }
  }
}
