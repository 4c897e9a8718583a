import Foundation
import LoadingModel
import ProtocolRules

/// Sun, 06 Nov 1994 08:49:37 GMT.
let received = Date(timeIntervalSince1970: 784_111_777)

/// The date `seconds` after `received`, as a field.
func date(_ seconds: Double) -> String { HTTPDate.format(received.addingTimeInterval(seconds)) }

/// - Parameters:
///   - asked: Seconds before `received` at which the request was sent.
///   - late: Seconds after `received` at which the response came.
func stored(
  _ fields: [HeaderFields.Entry], status: Int = 200, requestFields: [HeaderFields.Entry] = [], length: Int64 = 10, asked: Double = 0,
  late: Double = 0
) -> StoredFacts {
  StoredFacts(
    head: ResponseHead(status: status, headers: HeaderFields(fields)), requestFields: HeaderFields(requestFields),
    requestTime: received.addingTimeInterval(-asked), responseTime: received.addingTimeInterval(late), bodyLength: length)
}

func request(_ fields: [HeaderFields.Entry] = [], method: String = "GET", url: String = "http://h/a") -> LoadRequest {
  var request = LoadRequest(url: URL(string: url))
  request.mutate {
    $0.method = method
    $0.headers = HeaderFields(fields)
  }
  return request
}

/// A decision in a word, as tests compare it.
enum Verdict: String {
  case use, swr, validate, fetch, timeout, unavailable

  init(_ decision: CacheDecision) {
    switch decision {
    case .use: self = .use
    case .useAndRevalidate: self = .swr
    case .validate: self = .validate
    case .fetch: self = .fetch
    case .gatewayTimeout: self = .timeout
    case .unavailable: self = .unavailable
    }
  }
}
