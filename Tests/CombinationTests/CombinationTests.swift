import Foundation
import Testing

/// Cases that are drawn by chance from all that tasks, interfaces, wires, servers, apps and configurations can be, and what holds of every one:
/// each task ends once and in time, nothing comes after its end, calls are in order, bytes are exact, uploads arrive once, credentials go to
/// no other place, limits hold, and nothing is left behind.
///
/// `scripts/tests/combinations` runs more of them, or one again.
@Suite(.timeLimit(.minutes(60))) struct CombinationTests {
  private static let variables = ProcessInfo.processInfo.environment
  private static let first = variables["COMBINATIONS_SEED"].flatMap { UInt64($0) } ?? 1
  private static let count = variables["COMBINATIONS_CASES"].flatMap { Int($0) } ?? 300
  /// Cases of one process: what a trap ends.
  private static let batch = 500

  @Test(.enabled(if: Batch.here != nil, "only in a child process")) func childRunsABatch() async throws {
    await (try #require(Batch.here)).run()
  }

  @Test(.timeLimit(.minutes(600)), .enabled(if: Batch.here == nil)) func everyCombinationHolds() async throws {
    var seed = Self.first
    let end = seed &+ UInt64(max(1, Self.count))
    while seed < end {
      let count = min(Self.batch, Int(end - seed))
      let problems = try await BatchChild().run(first: seed, count: count, told: Self.variables["COMBINATIONS_CASE"])
      #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
      seed += UInt64(count)
    }
  }

  /// Cases that have found something, each as often as it takes to find that again.
  private static let finds: [String] = {
    var finds = [
      "work=becomeStream,wire=h2,size=medium,action=pause,moment=responded,keeping=cookies,tasks=five,turns=some",
      "work=backgroundDownload,conduct=chunked,action=invalidate,keeping=cookies,turns=many",
    ]
    #if HTTP3
      finds.append("work=uploadStream,wire=early,size=large,tasks=five,turns=some")
      finds.append("work=uploadFile,interface=asynchronous,wire=early,isOnce=yes")
      finds.append("wire=udpOnly,conduct=cutBeforeHead,login=basic")
    #endif
    return finds
  }()

  @Test(.enabled(if: Batch.here == nil), arguments: finds) func whatWasFoundOnceHolds(_ text: String) async throws {
    let problems = try await BatchChild().run(first: 1, count: 40, told: text)
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test func caseOfASeedIsAlwaysTheSame() {
    for seed in 0..<200 as Range<UInt64> { #expect(Case(seed: seed) == Case(seed: seed)) }
    #expect(Set((0..<200 as Range<UInt64>).map { Case(seed: $0).description }).count > 190)
  }

  @Test func everyValueIsDrawn() {
    let cases = (0..<20_000 as Range<UInt64>).map { Case(seed: $0) }
    for work in Work.allCases { #expect(cases.contains { $0.work == work }, "\(work)") }
    for conduct in Conduct.allCases { #expect(cases.contains { $0.conduct == conduct }, "\(conduct)") }
    for wire in Wire.allCases { #expect(cases.contains { $0.wire == wire }, "\(wire)") }
  }

  @Test func descriptionIsReadAgain() {
    for seed in 0..<2000 as Range<UInt64> { #expect(Case(Case(seed: seed).description) == Case(seed: seed)) }
    #expect(Case("work=nothing-known") == nil && Case("work") == nil)
  }

  @Test func possibleCasesStayAsTheyAre() {
    for seed in 0..<2000 as Range<UInt64> { #expect(Case(seed: seed).possible() == Case(seed: seed)) }
  }

  @Test func failingCaseIsMadePlain() async {
    var failing = Case(seed: 7)
    failing.wire = .tls
    failing.work = .download
    let smallest = await Shrink(attempts: 1) { $0.wire == .tls && $0.work == .download }.smallest(of: failing.possible())
    #expect(smallest.description == "work=download,wire=tls")
  }
}
