import ChildProcesses
import Foundation
import URLLoadingSystem

/// A process of a soak: loads through its sessions and says what the stores hold, until it is killed.
///
///     page WRITER NUMBER      the response is on disk
///     cookie WRITER NUMBER    the app has been given the response that set it
///     corrupt URL             a body was not the page's
struct SoakChild: Sendable {
  private static let folderVariable = "STORES_SOAK_FOLDER"
  private static let serverVariable = "STORES_SOAK_SERVER"
  private static let slotVariable = "STORES_SOAK_SLOT"
  private static let firstVariable = "STORES_SOAK_FIRST"

  let ground: SoakGround
  /// Which of the processes that run at once it is.
  let slot: Int
  /// The number of its first pages: each process continues above those of the one it replaces.
  let first: Int

  /// What this process is to be; nil if it is none.
  static let here: SoakChild? = {
    let variables = ProcessInfo.processInfo.environment
    guard let folder = variables[folderVariable], let server = variables[serverVariable].flatMap({ URL(string: $0) }),
      let slot = variables[slotVariable].flatMap({ Int($0) }), let first = variables[firstVariable].flatMap({ Int($0) })
    else { return nil }
    return SoakChild(
      ground: SoakGround(folder: URL(filePath: folder, directoryHint: .isDirectory), server: server), slot: slot, first: first)
  }()

  func start() throws -> ChildProcess {
    try ChildProcess(
      ofThisProgram: "childSessionsLoadUntilTheyAreKilled", in: ground.folder,
      environment: [
        SoakChild.folderVariable: ground.folder.path(percentEncoded: false), SoakChild.serverVariable: ground.server.absoluteString,
        SoakChild.slotVariable: String(slot), SoakChild.firstVariable: String(first),
        "URL_LOADING_SYSTEM_HOME": ground.home.path(percentEncoded: false),
      ])
  }

  /// Works until the process is killed, or something fails.
  func run() async throws {
    let cache = ground.openCache()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for session in 0..<SoakGround.sessionsPerProcess {
        group.addTask { try await load(slot * SoakGround.sessionsPerProcess + session, cache) }
      }
      try await group.waitForAll()
    }
  }

  private func load(_ writer: Int, _ cache: URLCache) async throws {
    let reports = try ReportPipe.handle(in: ground.folder)
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = cache
    let session = URLSession(configuration: configuration)
    var onTheWay: [Int] = []
    // Far more than a child lives for.
    for number in first..<(first + 1_000_000) {
      let url = ground.page(writer, number)
      let (body, _) = try await session.data(from: url)
      var report = "cookie \(writer) \(number)\n"
      if body != SoakGround.body(url.path) { report += "corrupt \(url)\n" }
      onTheWay.append(number)
      if onTheWay.count == 5 {
        await cache.flush()
        report += onTheWay.map { "page \(writer) \($0)\n" }.joined()
        onTheWay = []
      }
      try reports.write(contentsOf: Data(report.utf8))
      try await useCommonPage(number, session, reports)
    }
  }

  /// Pages that all processes store, replace, remove and read.
  private func useCommonPage(_ number: Int, _ session: URLSession, _ reports: FileHandle) async throws {
    let url = ground.commonPage(number)
    var request = URLRequest(url: url)
    if number % 3 == 0 { request.cachePolicy = .reloadIgnoringLocalCacheData }
    if try await session.data(for: request).0 != SoakGround.body(url.path) { try reports.write(contentsOf: Data("corrupt \(url)\n".utf8)) }
    guard number % 7 == 0 else { return }
    request.httpMethod = "POST"
    _ = try await session.data(for: request)
  }
}
