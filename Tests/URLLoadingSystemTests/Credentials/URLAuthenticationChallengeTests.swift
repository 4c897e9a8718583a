import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

struct URLAuthenticationChallengeTests {
  private final class Recorder: NSObject, URLAuthenticationChallengeSender, Sendable {
    let answers = Mutex<[String]>([])
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answers.withLock { $0.append("use") } }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answers.withLock { $0.append("without") } }
    func cancel(_ challenge: URLAuthenticationChallenge) { answers.withLock { $0.append("cancel") } }
  }

  private let sender = Recorder()
  private let space = URLProtectionSpace(host: "h.test", port: 80, protocol: "http", realm: "r", authenticationMethod: nil)
  private let credential = URLCredential(user: "u", password: "p", persistence: .none)

  private func challenge() throws -> URLAuthenticationChallenge {
    let url = try address("http://h.test/")
    return URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: credential, previousFailureCount: 2,
      failureResponse: HTTPURLResponse(url: url, statusCode: 401, httpVersion: nil, headerFields: nil),
      error: URLError(.userAuthenticationRequired), sender: sender)
  }

  @Test func aCopyDiffersInItsSenderOnly() throws {
    let original = try challenge()
    let other = Recorder()
    let copy = URLAuthenticationChallenge(authenticationChallenge: original, sender: other)
    #expect(copy.sender === other)
    #expect(copy.protectionSpace == space)
    #expect(copy.proposedCredential == credential)
    #expect(copy.previousFailureCount == 2)
    #expect((copy.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    #expect((copy.error as? URLError)?.code == .userAuthenticationRequired)
  }

  @Test func optionalAnswersCompileInBothSpellingsAndFallBack() throws {
    let challenge = try challenge()
    challenge.sender?.performDefaultHandling?(for: challenge)
    challenge.sender?.rejectProtectionSpaceAndContinue?(with: challenge)
    challenge.sender?.performDefaultHandling(for: challenge)
    challenge.sender?.use(credential, for: challenge)
    #expect(sender.answers.withLock { $0 } == ["without", "without", "without", "use"])
  }

  @Test func archivesKeepWhatIsNotOfTheMoment() throws {
    let data = try NSKeyedArchiver.archivedData(withRootObject: try challenge(), requiringSecureCoding: true)
    let decoded = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: URLAuthenticationChallenge.self, from: data))
    #expect(decoded.protectionSpace == space)
    #expect(decoded.proposedCredential == credential)
    #expect(decoded.previousFailureCount == 2)
    #expect((decoded.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    #expect(decoded.sender == nil)
  }

  private func address(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
