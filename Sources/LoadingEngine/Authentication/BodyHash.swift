import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import NIOFoundationCompat
import ProtocolRules

/// Computes the hash of a request's body, for Digest's `auth-int`.
enum BodyHash {
  /// The hash of `body` as `load` would send it; nil for a body that can be read only once. Throws the error that interrupts the load.
  static func make(_ body: LoadRequest.Body, _ algorithm: DigestAlgorithm, _ load: Load) async throws(LoadError) -> String? {
    switch body {
    case .stream, .suppliedStream, .pieces: return nil
    case .none, .data, .file, .parts: break
    }
    var hashing = DigestAlgorithm.Hashing(algorithm)
    guard let source = try await RequestBody.open(body, load).map(BodyPieceSource.init) else { return hashing.finished() }
    defer { source.abandon() }
    // Each piece counts as activity: a large body may take longer than the request's timeout.
    while let piece = try await source.next(load.context) { hashing.update(Data(buffer: piece, byteTransferStrategy: .noCopy)) }
    return hashing.finished()
  }
}
