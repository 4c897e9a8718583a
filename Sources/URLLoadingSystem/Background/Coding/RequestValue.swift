import Foundation
import LoadingModel

/// The form in which a request is sent to the daemon and stored on its disk. Body streams, forms and async sequences are left out.
struct RequestValue: Codable, Sendable {
  private enum Body: Codable, Sendable {
    case none
    case data(Data)
    case file(URL)
  }

  private enum CodingKeys: CodingKey {
    case body
  }

  private let record: RequestRecord
  private let body: Body

  /// - Parameter keepsData: Whether a body in memory is included; a file's path always is.
  init(_ request: LoadRequest, keepsData: Bool = true) {
    record = RequestRecord(request)
    switch request.body {
    case .data(let data): body = keepsData ? .data(data) : .none
    case .file(let file, _, _): body = .file(file)
    case .none, .stream, .suppliedStream, .parts, .pieces: body = .none
    }
  }

  init(from decoder: any Decoder) throws {
    record = try RequestRecord(from: decoder)
    body = try decoder.container(keyedBy: CodingKeys.self).decode(Body.self, forKey: .body)
  }

  func encode(to encoder: any Encoder) throws {
    try record.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(body, forKey: .body)
  }

  var request: LoadRequest {
    switch body {
    case .none: record.request(.none)
    case .data(let data): record.request(.data(data))
    case .file(let file): record.request(.file(file))
    }
  }
}
