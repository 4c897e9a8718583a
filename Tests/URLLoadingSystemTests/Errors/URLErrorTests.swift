import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

struct URLErrorTests {
  private let url = URL(string: "http://h.test/x")

  private func thrown(_ error: LoadError) -> any Error { error.urlError(failingURL: url) }

  @Test func loadErrorsBecomeURLErrorsWithApplesKeys() throws {
    let error = thrown(LoadError(.cannotConnectToHost, .connect, "port 1 refused; check the address", posixCode: ECONNREFUSED))
    let urlError = try #require(error as? URLError)
    #expect(urlError.code == .cannotConnectToHost)
    #expect(urlError.failingURL == url)
    #expect(urlError.localizedDescription == "no connection to the server: port 1 refused; check the address")
    #expect(error.localizedDescription == urlError.localizedDescription)
    let object = error as NSError
    #expect(object.domain == NSURLErrorDomain)
    #expect(object.code == -1004)
    #expect(object.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
    #expect(object.userInfo["NSErrorFailingURLStringKey"] as? String == "http://h.test/x")
    let underlying = try #require(object.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(underlying.domain == "kCFErrorDomainCFNetwork")
    #expect(underlying.code == -1004)
    let system = try #require(underlying.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(system.domain == NSPOSIXErrorDomain)
    #expect(system.code == Int(ECONNREFUSED))
  }

  @Test func plainCancellationIsTheOneWord() {
    #expect(thrown(.cancelled()).localizedDescription == "cancelled")
    #expect(thrown(LoadError.cancelled(.connect)).localizedDescription == "cancelled")
  }

  @Test func patternsMatchByCode() {
    do {
      throw thrown(.cancelled())
    } catch URLError.timedOut {
      Issue.record("matched the wrong code")
    } catch URLError.cancelled {
      return
    } catch {
      Issue.record("not matched: \(error)")
    }
  }

  @Test func foreignErrorsComeBackAsTheyWere() {
    struct AppError: Error, Equatable { let number: Int }
    #expect(thrown(LoadError(foreign: AppError(number: 7))) as? AppError == AppError(number: 7))
    let object = NSError(domain: "app", code: 3)
    #expect(thrown(LoadError(foreign: object)) as NSError === object)
  }

  @Test(arguments: [-1, -999, -1000, -1003, -1022, -1103, -1200, -1206, -3001])
  func everyKindHasItsCode(_ code: Int) throws {
    let kind = try #require(LoadError.Kind(rawValue: code))
    let error = thrown(LoadError(kind, .head, ""))
    #expect((error as? URLError)?.errorCode == code)
    #expect(!error.localizedDescription.isEmpty)
  }

  @Test func withoutURLTheKeysAreAbsent() throws {
    let error = try #require(LoadError(.badURL, .admission, "no URL").urlError(failingURL: nil) as? URLError)
    #expect(error.failingURL == nil)
    #expect(error.userInfo[NSURLErrorFailingURLErrorKey] == nil)
  }

  @Test func userInfoMembersReadTheirKeys() {
    let trust = SecTrust(chain: [], host: "h.test")
    let error = URLError(
      .notConnectedToInternet,
      userInfo: [
        NSURLSessionDownloadTaskResumeData: Data([1]), NSURLSessionUploadTaskResumeData: Data([2]),
        NSURLErrorNetworkUnavailableReasonKey: NSNumber(value: 2), NSURLErrorBackgroundTaskCancelledReasonKey: 1,
        NSURLErrorFailingURLPeerTrustErrorKey: trust,
      ])
    #expect(error.downloadTaskResumeData == Data([1]))
    #expect(error.uploadTaskResumeData == Data([2]))
    #expect(error.networkUnavailableReason == .constrained)
    #expect(error.backgroundTaskCancelledReason == .backgroundUpdatesDisabled)
    #expect(error.failureURLPeerTrust === trust)
    #expect(URLError(.unknown).networkUnavailableReason == nil)
    #expect(URLError(.unknown).downloadTaskResumeData == nil)
  }

  @Test func missingNamesAreThere() {
    #expect(URLError.appTransportSecurityRequiresSecureConnection.rawValue == -1022)
    #expect(URLError.dataLengthExceedsMaximum.rawValue == -1103)
    #expect(NSURLErrorFileOutsideSafeArea == -1104)
    #expect(NSURLSessionTransferSizeUnknown == -1)
  }
}
