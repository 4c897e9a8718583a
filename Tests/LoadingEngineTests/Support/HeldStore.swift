import Foundation
import LoadingModel
import Stores
import URLLoadingTestKit

/// A store whose disk answers when the test opens the gate, and then has nothing. A response that it has in memory has its body on disk.
final class HeldStore: ResponseStore {
  private let gate: Gate
  private let stored: StoredResponse?

  init(_ gate: Gate, _ stored: StoredResponse? = nil) {
    self.gate = gate
    self.stored = stored
  }

  var capacity: Int64 { 1 << 20 }
  var waitsForDisk: Bool { true }
  func holdsNothing(for target: Target) -> Bool { false }
  func candidates(for url: String) -> [StoredResponse]? { stored.map { [$0] } }
  func loadCandidates(for url: String) async -> [StoredResponse] {
    await gate.pass()
    return []
  }
  func immediateBody(_ response: StoredResponse) -> Data? { nil }
  func openBody(_ response: StoredResponse) async -> (any StoredBody)? {
    await gate.pass()
    return nil
  }
  func beginStoring(_ response: StoredResponse, expectedLength: Int64?) -> (any BodyWriter)? { nil }
  func update(_ response: StoredResponse, head: ResponseHead, requestTime: Date, responseTime: Date) {}
  func remove(_ response: StoredResponse) {}
  func removeAll(url: String) {}
}
