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
    let number: Int
    var count = 0
    /// Runs the function.
    var task: Task<Void, Never>?
    var waiting: [Asker] = []
    /// Known before the second family was asked about.
    var result: Result<[IPAddress], ResolutionError>?
  }

  private let resolve: @Sendable (String, Int) async throws -> [String]
  private let clock: any LoadClock
  private let calls = Mutex<[Place: Call]>([:])
  private let lastNumber = Mutex(0)

  init(_ clock: any LoadClock, _ resolve: @escaping @Sendable (String, Int) async throws -> [String]) {
    (self.clock, self.resolve) = (clock, resolve)
  }

  var looksAtPorts: Bool { true }
  var asksForFamiliesTogether: Bool { true }
  var knowsSpecialNames: Bool { true }

  func ask(
    _ host: String, _ port: Int, _ family: AddressFamily, _ answer: @escaping Answer, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    let place = Place(host: host, port: port)
    let asker = Asker(family: family, answer: answer, lifetime: lifetime)
    let (first, known) = calls.withLock { calls in
      let known = calls[place]?.result
      if known != nil {
        calls[place] = nil
      } else {
        calls[place, default: Call(number: nextNumber())].count += 1
        calls[place]?.waiting.append(asker)
      }
      return (calls[place].flatMap { $0.count == 1 ? $0.number : nil }, known)
    }
    if let known {
      Task { AppResolver.tell(known, host, asker) }
      return
    }
    guard let number = first else { return }
    // A function that has not returned by then is cancelled; the next look-up of the name calls it again.
    clock.wake(at: clock.now.advanced(bySeconds: LookUpRules.patience)) { [weak self] in
      let text = "the app's nameResolution did not answer within \(Int(LookUpRules.patience)) seconds"
      self?.end(number, place, .failure(.unanswered(host, text)))
    }
    let task = Task { end(number, place, await addresses(of: place)) }
    let isUnderWay = calls.withLock { calls in
      guard calls[place]?.number == number, calls[place]?.result == nil else { return false }
      calls[place]?.task = task
      return true
    }
    if !isUnderWay { task.cancel() }
  }

  private func nextNumber() -> Int {
    lastNumber.withLock { number in
      number += 1
      return number
    }
  }

  /// A call's function has returned, or isn't waited for any more.
  private func end(_ number: Int, _ place: Place, _ result: Result<[IPAddress], ResolutionError>) {
    let call = calls.withLock { calls -> Call? in
      guard let call = calls[place], call.number == number, call.result == nil else { return nil }
      calls[place] = nil
      if !call.count.isMultiple(of: 2) { calls[place] = Call(number: number, result: result) }
      return call
    }
    guard let call else { return }
    call.task?.cancel()
    for asker in call.waiting { AppResolver.tell(result, place.host, asker) }
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
