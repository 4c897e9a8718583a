import Foundation
import Testing

@testable import URLLoadingSystem

struct UnobservableKeyPathTests {
  @Test func eachKeyPathIsReportedOnce() {
    #expect(UnobservableKeyPaths.report(\URLSessionTask.originalRequest?.httpMethod))
    #expect(!UnobservableKeyPaths.report(\URLSessionTask.originalRequest?.httpMethod))
    #expect(UnobservableKeyPaths.report(\URLSessionTask.originalRequest?.mainDocumentURL))
  }
}
