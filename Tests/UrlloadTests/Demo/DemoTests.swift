import Testing

/// `Examples/Demo`, which runs the tool and the daemon that lie beside it.
@Suite(.timeLimit(.minutes(10))) struct DemoTests {
  @Test func demonstrationPasses() async throws {
    let outcome = try await Tool(program: "Demo").run()
    #expect(outcome.status == 0, "\(outcome.text)")
    #expect(!outcome.text.contains("✗"))
    #expect(outcome.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
