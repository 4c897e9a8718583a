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

  /// Who waits for the addresses of one family.
  private struct Asker {
    let family: AddressFamily
    let answer: Answer
    let lifetime: @Sendable (Double) -> Void
  }

  /// A call of the function, and those that it is made for: two families each time.
  private struct Call {
    var count = 0
    var waiting: [Asker] = []
    /// Known before the second family was asked about.
    var result: Result<[IPAddress], ResolutionError>?
  }

  private let resolve: @Sendable (String, Int) async throws -> [String]
  private let calls = Mutex<[Place: Call]>([:])

  init(_ resolve: @escaping @Sendable (String, Int) async throws -> [String]) { self.resolve = resolve }

  var looksAtPorts: Bool { true }
  var asksForFamiliesTogether: Bool { true }
  var knowsSpecialNames: Bool { true }

  func ask(
    _ host: String, _ port: Int, _ family: AddressFamily, _ answer: @escaping Answer, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    let place = Place(host: host, port: port)
    let asker = Asker(family: family, answer: answer, lifetime: lifetime)
    let (isFirst, known) = calls.withLock { calls in
      let known = calls[place]?.result
      if known != nil {
        calls[place] = nil
      } else {
        calls[place, default: Call()].count += 1
        calls[place]?.waiting.append(asker)
      }
      return (calls[place]?.count == 1, known)
    }
    if let known {
      Task { AppResolver.tell(known, host, asker) }
      return
    }
    guard isFirst else { return }
    Task {
      let result = await addresses(of: place)
      let waiting = calls.withLock { calls in
        guard let call = calls[place] else { return [Asker]() }
        calls[place] = nil
        if !call.count.isMultiple(of: 2) { calls[place] = Call(result: result) }
        return call.waiting
      }
      for asker in waiting { AppResolver.tell(result, host, asker) }
    }
  }

  private static func tell(_ result: Result<[IPAddress], ResolutionError>, _ host: String, _ asker: Asker) {
    asker.answer(
      result.flatMap { all in
        let own = FixedResolver.addresses(all, of: asker.family)
        return own.isEmpty ? .failure(.absent(host)) : .success(own)
      })
    // That there are none of one family is known as long as the other's are kept.
    if case .success(let all) = result, !all.isEmpty { asker.lifetime(LookUpRules.addressLifetime) }
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
