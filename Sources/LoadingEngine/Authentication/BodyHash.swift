import Foundation
import LoadingModel
import NIOCore
import NIOFoundationCompat
import ProtocolRules

/// Computes the hash of a request's body, for Digest's `auth-int`.
enum BodyHash {
  /// The hash of `body`; nil for a body that can be read only once.
  static func make(_ body: LoadRequest.Body, _ algorithm: DigestAlgorithm) async throws(LoadError) -> String? {
    var hashing = DigestAlgorithm.Hashing(algorithm)
    let source: any BodyReader
    switch body {
    case .none: return hashing.finished()
    case .stream, .suppliedStream, .pieces: return nil
    case .data(let data): source = DataReader(data)
    case .file(let url, let start, let end):
      let file = try await FileReader.open(path: url.path)
      source = file.limited(from: start, upTo: end)
    case .parts(let parts, let start, let end): source = try await PartsReader.opened(parts, from: start, upTo: end).get()
    }
    while let piece = try await source.next() { hashing.update(Data(buffer: piece, byteTransferStrategy: .noCopy)) }
    return hashing.finished()
  }
}
