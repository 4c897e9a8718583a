import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Resolves host names by the app's function (`nameResolution = .custom`). One call of it serves the questions for IPv4 and for IPv6.
final class AppResolver: HostResolver {
  typealias Answer = @Sendable (Result<[SocketAddress], ResolutionError>) -> Void

  private struct Place: Hashable {
    let host: String
    let port: Int
  }

  /// A question for the addresses of one family that waits for the app's function.
  private struct Asker {
    let family: AddressFamily
    let answer: Answer
    let lifetime: @Sendable (Double) -> Void
  }

  /// One call of the app's function and the questions that it answers: one for each address family.
  private struct Call {
    let number: Int
    var count = 0
    /// The Swift task that runs the app's function.
    var task: Task<Void, Never>?
    var waiting: [Asker] = []
    /// The result, kept if the function returned before the second family was asked for.
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
    // If the function takes longer than `LookUpRules.patience`, it is cancelled and the look-up fails; the next look-up of the name calls it again.
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

  /// Answers the questions of a call whose function has returned, or which has timed out.
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
    // If the name has no addresses of one family, that is cached as long as the other family's addresses.
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
