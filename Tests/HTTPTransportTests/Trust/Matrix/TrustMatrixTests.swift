import Foundation
import Testing

@testable import HTTPTransport

/// Certificates of every kind, and what is said of them: a page of the documentation has the same rows.
@Suite(.timeLimit(.minutes(10))) struct TrustMatrixTests {
  /// The verdict in the words of the table.
  private static func words(_ result: TrustVerdict.Result) -> String {
    switch result {
    case .untrusted(let reason): "untrusted: \(reason)"
    default: "\(result)"
    }
  }

  @Test(arguments: TrustCase.all) func verdictIsTheExpected(_ row: TrustCase) throws {
    let presented = try row.make(TrustRoom())
    let store = try TrustStore.store(anchors: presented.anchors.map { Data($0) }, beside: nil)
    let requirement = TrustRequirement(usage: .server, host: row.host)
    let verdict = TrustEvaluation.verdict(on: presented.sent.map { Data($0) }, for: requirement, store: store)
    #expect(Self.words(verdict.result) == row.here)
    #expect(verdict.isTrusted == !verdict.chain.isEmpty)
    try keep(row, presented)
  }

  @Test func differencesHaveReasonsAndNamesAreDifferent() {
    for row in TrustCase.all {
      let isSame = [row.curl, row.chromium].allSatisfy { ($0 == .yes) == (row.here == "trusted") }
      #expect(isSame || !row.why.isEmpty, "\(row.name)")
    }
    #expect(Set(TrustCase.all.map(\.name)).count == TrustCase.all.count)
    #expect(TrustCase.all.count >= 60)
  }

  /// `TRUST_MATRIX_PRINT` prints the table.
  @Test func pageOfTheDocumentationHasTheSameRows() throws {
    let table = TrustCase.groups.map { group in
      "## \(group.title)\n\n| | here | curl | Chromium | |\n|---|---|---|---|---|\n"
        + group.cases.map { "| \($0.name) | \($0.here) | \($0.curl) | \($0.chromium) | \($0.why) |\n" }.joined()
    }.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["TRUST_MATRIX_PRINT"] != nil { print(table) }
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Documentation/trusted-certificates.md").standardizedFileURL
    #expect(try String(contentsOf: page, encoding: .utf8).contains(table), "the page has other rows; TRUST_MATRIX_PRINT=1 prints them")
  }

  /// Writes the row's files to the folder of `TRUST_MATRIX_FOLDER`, for other programs to evaluate.
  private func keep(_ row: TrustCase, _ presented: TrustRoom.Presented) throws {
    guard let path = ProcessInfo.processInfo.environment["TRUST_MATRIX_FOLDER"], !path.isEmpty,
      let number = TrustCase.all.firstIndex(where: { $0.name == row.name })
    else { return }
    let folder = URL(filePath: path, directoryHint: .isDirectory).appending(path: "\(number)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func pem(_ certificates: [[UInt8]]) -> Data {
      Data(
        certificates.map {
          "-----BEGIN CERTIFICATE-----\n" + Data($0).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
        }.joined().utf8)
    }
    try pem(presented.sent).write(to: folder.appending(path: "sent.pem"))
    try pem(presented.anchors).write(to: folder.appending(path: "anchors.pem"))
    try Data("\(row.host)\n\(row.here)\n\(row.curl)\n\(row.name)\n".utf8).write(to: folder.appending(path: "row"))
    if let key = presented.key { try Data(key.pemRepresentation.utf8).write(to: folder.appending(path: "key.pem")) }
  }
}
