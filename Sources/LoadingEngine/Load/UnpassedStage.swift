#if DEBUG
  import HTTPTransport
  import LoadingModel

  /// A debugging aid: calls the stage's `load` even if a request passes it, and checks that `load` then sends on the same request, as the rule
  /// for `passes` demands (decision 31). A stage that breaks the rule ends the process with its name.
  ///
  /// Debug builds put it around every stage if the environment has URL_LOADING_UNPASSED=1; the end-to-end tests run once in this way.
  struct UnpassedStage: Stage {
    private let stage: any Stage

    private static let isWanted = ProcessEnvironment.value("URL_LOADING_UNPASSED") == "1"

    init(_ stage: any Stage) { self.stage = stage }

    /// The stages, each inside an `UnpassedStage` if the environment asks for that.
    static func around(_ stages: [any Stage]) -> [any Stage] { isWanted ? stages.map(UnpassedStage.init) : stages }

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      guard stage.passes(request, context, next.load) else { return try await stage.load(request, context, next) }
      let rest = Next([HandedOnStage(of: stage, expected: request), RestStage(next: next)], next.load)
      return try await stage.load(request, context, rest)
    }
  }

  /// Compares the first request that a stage sends on with the one that has passed it.
  private final class HandedOnStage: Stage {
    private let stage: String
    private let expected: Mutex<LoadRequest?>

    init(of stage: any Stage, expected: LoadRequest) {
      self.stage = "\(type(of: stage))"
      self.expected = Mutex(expected)
    }

    func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
      let expected = expected.withLock { expected in
        defer { expected = nil }
        return expected
      }
      if let expected {
        precondition(
          request.isIdentical(to: expected) || HandedOnStage.text(of: request) == HandedOnStage.text(of: expected),
          "\(stage) passes \(HandedOnStage.text(of: expected)), and makes of it \(HandedOnStage.text(of: request))")
      }
      return try await next(request, context)
    }

    private static func text(of request: LoadRequest) -> String {
      let fields = request.fields
      let flags = RequestTable.flags.map { fields[keyPath: $0.path] } + RequestTable.choices.map { fields[keyPath: $0.entry.path] }
      let numbers = RequestTable.numbers.map { fields[keyPath: $0.path] }
      return "\(fields.method) \(fields.url?.absoluteString ?? "") \(fields.headers.entries) \(flags) \(numbers) \(fields.body)"
    }
  }

  /// Continues with the stages after the checked one.
  private struct RestStage: Stage {
    let next: Next

    func load(_ request: LoadRequest, _ context: LoadContext, _: Next) async throws(LoadError) -> Loaded {
      try await next(request, context)
    }
  }
#endif
