import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// A function of the app that knows the addresses of names. Both families are asked for by one call.
final class AppResolver: HostResolver {
  typealias Answer = @Sendable (Result<[SocketAddress], ResolutionError>) -> Void

  private struct Place: Hashable {
    let host: String
    let port: Int
  }

  private let resolve: @Sendable (String, Int) async throws -> [String]
  /// Who waits for the calls under way.
  private let waiting = Mutex<[Place: [(AddressFamily, Answer)]]>([:])

  init(_ resolve: @escaping @Sendable (String, Int) async throws -> [String]) { self.resolve = resolve }

  var looksAtPorts: Bool { true }
  var knowsSpecialNames: Bool { true }

  func ask(
    _ host: String, _ port: Int, _ family: AddressFamily, _ answer: @escaping Answer, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    let place = Place(host: host, port: port)
    let isFirst = waiting.withLock { waiting in
      waiting[place, default: []].append((family, answer))
      return waiting[place]?.count == 1
    }
    guard isFirst else { return }
    Task {
      let result = await addresses(of: place)
      let answers = waiting.withLock { $0.removeValue(forKey: place) } ?? []
      for (family, answer) in answers {
        answer(
          result.flatMap { all in
            let own = FixedResolver.addresses(all, of: family)
            return own.isEmpty ? .failure(.absent(host)) : .success(own)
          })
      }
    }
  }

  private func addresses(of place: Place) async -> Result<[IPAddress], ResolutionError> {
    do {
      let texts = try await resolve(place.host, place.port)
      let addresses = texts.map { IPAddress($0) }
      if let bad = addresses.firstIndex(of: nil) {
        return .failure(.unanswered(place.host, "the app's nameResolution gave “\(place.host)” “\(texts[bad])”, which isn't an IP address"))
      }
      return .success(addresses.compactMap(\.self))
    } catch URLError.cannotFindHost {
      return .failure(.absent(place.host))
    } catch {
      return .failure(.unanswered(place.host, "the app's nameResolution found no addresses of “\(place.host)”: \(error)"))
    }
  }
}
