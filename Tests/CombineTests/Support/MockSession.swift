#if Combine
  import Foundation
  import URLLoadingSystem

  /// A session that records which data tasks it is asked for, and whose tasks complete when the test says so.
  final class MockSession: URLSession, MakeableOfTask, @unchecked Sendable {
    // @unchecked: for tests that use it from one thread.
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private(set) var requests: [URLRequest] = []
    private var completions: [Completion] = []
    let task: MockDataTask

    @available(*, deprecated) required init(_ task: MockDataTask) { self.task = task }

    static func make(_ task: MockDataTask) -> MockSession {
      func made<M: MakeableOfTask>() -> M { M(task) }
      return made()
    }

    override func dataTask(with request: URLRequest, completionHandler: @escaping Completion) -> URLSessionDataTask {
      requests.append(request)
      completions.append(completionHandler)
      return task
    }

    func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      for completion in completions { completion(data, response, error) }
    }
  }

  /// A type with an initializer that may be deprecated, as a task's is: making one through this isn't warned of.
  private protocol Makeable {
    init()
  }

  /// The same for a type that is made of a task.
  private protocol MakeableOfTask {
    init(_ task: MockDataTask)
  }

  /// A task that records how it is called.
  final class MockDataTask: URLSessionDataTask, Makeable, @unchecked Sendable {
    // @unchecked: for tests that use it from one thread.
    enum Call: Equatable {
      case resume
      case cancel
    }

    private(set) var calls: [Call] = []

    @available(*, deprecated) required override init() { super.init() }

    static func make() -> MockDataTask {
      func made<M: Makeable>() -> M { M() }
      return made()
    }

    override func resume() { calls.append(.resume) }
    override func cancel() { calls.append(.cancel) }
  }
#endif
