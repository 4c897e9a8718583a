import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

/// What a stored head says is read once; another head is read anew.
struct StoredReadingTests {
  private static func head(_ maxAge: Int) -> ResponseHead {
    ResponseHead(status: 200, headers: HeaderFields([("Cache-Control", "max-age=\(maxAge)")]))
  }

  private var response: StoredResponse {
    StoredResponse(
      url: "http://h/", head: StoredReadingTests.head(60), requestTime: Date(timeIntervalSince1970: 1),
      responseTime: Date(timeIntervalSince1970: 1))
  }

  private func facts(_ response: StoredResponse) -> StoredFacts {
    StoredFacts(
      head: response.head, requestFields: response.requestFields, requestTime: response.requestTime, responseTime: response.responseTime,
      bodyLength: response.bodyLength, slot: response.reading)
  }

  @Test func copiesShareOneReading() {
    let response = response
    let copy = response
    #expect(facts(response).reading === facts(copy).reading)
    #expect(facts(copy).reading.lifetime == 60)
  }

  @Test func anotherHeadIsReadAnew() {
    var response = response
    #expect(facts(response).reading.lifetime == 60)
    response.head = StoredReadingTests.head(5)
    #expect(facts(response).reading.lifetime == 5)
    let updated = response.updated(
      head: StoredReadingTests.head(7), requestTime: response.requestTime, responseTime: Date(timeIntervalSince1970: 9))
    #expect(facts(updated).reading.lifetime == 7)
    // Without `Date` it is the time of receipt.
    #expect(facts(updated).reading.date == Date(timeIntervalSince1970: 9) && facts(response).reading.date == Date(timeIntervalSince1970: 1))
  }
}
