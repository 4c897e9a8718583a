import FTPTransport
import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The commands on a connection that is logged in: changes of folder, then one transfer.
struct FTPTransfer {
  enum Outcome {
    case loaded(Loaded)
    /// The server demands TLS before it transfers anything.
    case needsTLS(FTPReply)
  }

  private let connection: FTPConnection
  private let resource: FTPResource
  private let url: URL
  private let request: LoadRequest
  private let load: Load
  private var context: LoadContext { load.context }

  init(
    _ connection: FTPConnection, _ resource: FTPResource, _ url: URL, _ request: LoadRequest, _ load: Load
  ) {
    self.connection = connection
    self.resource = resource
    self.url = url
    self.request = request
    self.load = load
  }

  func begin() async throws(LoadError) -> Outcome {
    try await prepare()
    switch resource.item {
    case .listing(let namesOnly):
      guard !isUpload else { throw LoadError(.badURL, .admission, "the URL names a folder; an upload needs a file's name at its end") }
      return try await list(namesOnly: namesOnly)
    case .file(let name): return isUpload ? try await store(name) : try await retrieve(name)
    }
  }

  private var isUpload: Bool {
    if case .none = request.body { request.method == "PUT" } else { true }
  }

  private func prepare() async throws(LoadError) {
    if connection.isSecured { try await connection.protectData() }
    // RFC 2640, 3: names are sent as UTF-8; some servers must be told by OPTS that the client does so.
    if resource.hasForeignNames, FTPAnswers.lists("UTF8", try await connection.ask(FTPCommand("FEAT"))) {
      _ = try await connection.ask(FTPCommand("OPTS UTF8 ON"))
    }
    for folder in resource.folders {
      let reply = try await connection.ask(FTPCommand("CWD", folder))
      guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .folder) }
    }
    let type = resource.representation == .image ? FTPCommand("TYPE I") : FTPCommand("TYPE A")
    let reply = try await connection.ask(type)
    guard reply.isCompletion else { throw FTPRefusal.error(reply, at: .dataConnection) }
  }

  /// Sends `command`, which transfers over the data connection. Returns the reply that begins the transfer or refuses it.
  private func transfer(_ command: FTPCommand) async throws(LoadError) -> FTPReply {
    try await connection.send(command)
    context.record.requestEnd = context.clock.now
    let reply = try await connection.reply()
    if reply.isPreliminary { context.record.responseStart = context.clock.now } else { connection.dropTransfer() }
    return reply
  }

  // MARK: listing

  private func list(namesOnly: Bool) async throws(LoadError) -> Outcome {
    try await connection.prepareTransfer()
    let reply = try await transfer(namesOnly ? FTPCommand("NLST") : FTPCommand("LIST"))
    let response = LoadResponse(url: url, kind: .plain(mimeType: "text/plain", textEncoding: nil), expectedLength: -1)
    guard reply.isPreliminary else {
      if FTPRefusal.meansEmptyFolder(reply) { return empty(response) }
      return try refusal(reply, at: .listing)
    }
    return .loaded(Loaded(response: response, body: FTPBody(connection, try await connection.transferStream(for: .listing), length: nil)))
  }

  private func empty(_ response: LoadResponse) -> Outcome {
    connection.quit()
    return .loaded(Loaded(response: response, body: DataReader(Data())))
  }

  private func refusal(_ reply: FTPReply, at step: FTPRefusal.Step) throws(LoadError) -> Outcome {
    if !connection.isSecured, FTPRefusal.demandsTLS(reply) { return .needsTLS(reply) }
    throw FTPRefusal.error(reply, at: step)
  }

  // MARK: retrieving

  private func retrieve(_ name: [UInt8]) async throws(LoadError) -> Outcome {
    let version = try await version(name)
    var range: Range<Int64>?
    switch version.part(request.headers) {
    case .whole: break
    case .part(let part): if isImage { range = part }
    case .unsatisfiable:
      throw LoadError(.resourceUnavailable, .head, "the range lies outside the file, which has \(version.size ?? 0) bytes")
    }
    if request.method == "HEAD" { return empty(response(version, offset: 0, length: version.size)) }
    try await connection.prepareTransfer()
    if let start = range?.lowerBound, start > 0 {
      // RFC 3659, 5: if the server can't begin at this offset, the whole file is transferred.
      if try await connection.ask(FTPCommand("REST", number: start)).code != 350 { range = nil }
    }
    let reply = try await transfer(FTPCommand("RETR", name))
    guard reply.isPreliminary else { return try refusal(reply, at: .retrieve(isThere: version.size != nil)) }
    let stream = try await connection.transferStream(for: .retrieve(isThere: version.size != nil))
    let offset = range?.lowerBound ?? 0
    let rest = version.size.map { $0 - offset }
    // FTP can't end a transfer at an offset, so that a range that ends before the file does is cut off by `FTPBody`.
    let wanted = range.flatMap { $0.upperBound == version.size || $0.upperBound == .max ? nil : Int64($0.count) }
    let announced = offset == 0 && isImage ? FTPAnswers.announcedSize(reply) : nil
    return .loaded(
      Loaded(
        response: response(version, offset: offset, length: wanted ?? rest ?? announced),
        body: FTPBody(connection, stream, length: rest, wanted: wanted)))
  }

  private var isImage: Bool { resource.representation == .image }

  private func version(_ name: [UInt8]) async throws(LoadError) -> FTPFileVersion {
    guard isImage else { return FTPFileVersion() }
    let size = try await connection.ask(FTPCommand("SIZE", name))
    let version = FTPFileVersion(size: size, time: try await connection.ask(FTPCommand("MDTM", name)))
    // HEAD is answered from these replies alone: no RETR follows, whose refusal would tell that there is no such file.
    if request.method == "HEAD", version.size == nil, version.modified == nil, FTPRefusal.deniesSize(size) {
      throw FTPRefusal.error(size, at: .retrieve(isThere: false))
    }
    return version
  }

  private func response(_ version: FTPFileVersion, offset: Int64, length: Int64?) -> LoadResponse {
    let type = FileExtensions.mimeType(forExtension: url.pathExtension)
    var response = LoadResponse(url: url, kind: .plain(mimeType: type, textEncoding: nil), expectedLength: length ?? -1)
    // A part of a file carries its version even if that is recent: the app, or a download, has asked for that version.
    if let tag = version.tag, offset > 0 || !version.isFresh(context.clock.date) {
      response.part = ResourcePart(offset: offset, total: version.size, tag: tag)
    }
    return response
  }

  // MARK: storing

  private func store(_ name: [UInt8]) async throws(LoadError) -> Outcome {
    let source = try await RequestBody.open(request.body, load).map(BodyPieceSource.init)
    try context.checkpoint()
    try await connection.prepareTransfer()
    let reply = try await transfer(FTPCommand("STOR", name))
    guard reply.isPreliminary else { return try refusal(reply, at: .store) }
    do throws(LoadError) {
      let stream = try await connection.transferStream(for: .store)
      if let source { try await send(source, through: stream) }
      try await stream.finishSending()
    } catch {
      source?.abandon()
      // The server's final reply may say why it took no more.
      guard error.kind == .networkConnectionLost, context.failure == nil else { throw error }
      let reason = try await connection.finalReply()
      throw reason.isCompletion ? error : FTPRefusal.error(reason, at: .store)
    }
    source?.abandon()
    let last = try await connection.finalReply()
    context.record.responseEnd = context.clock.now
    guard last.isCompletion else { return try refusal(last, at: .store) }
    return empty(LoadResponse(url: url, kind: .plain(mimeType: nil, textEncoding: nil), expectedLength: 0))
  }

  private func send(_ source: BodyPieceSource, through stream: FTPStream) async throws(LoadError) {
    var sent: Int64 = 0
    while true {
      if context.isSuspended { try await context.waitWhileSuspended() }
      guard let piece = try await source.next(context) else { return }
      try await stream.send(piece)
      try context.checkpoint()
      context.noteActivity()
      sent += Int64(piece.readableBytes)
      context.record.requestBodyBytes = sent
      context.record.requestBodyBytesBeforeEncoding = sent
      load.client.bodies?.didSendBody(bytes: Int64(piece.readableBytes), total: sent, expected: source.length ?? -1)
    }
  }
}
