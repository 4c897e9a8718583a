#if Inspector
  import Foundation
  import HTTPTransport
  import LoadingModel
  import NIOCore
  import ProtocolRules
  import URLLoadingSystem

  /// Records one load: its transfers, one after another.
  final class LoadRecorder: LoadObserver, ContentObserver, @unchecked Sendable {
    // `@unchecked`: the recorder is created by the thread that starts the load, before the load is handed to its event loop. From then on its
    // variables are confined to that loop, except that `deinit` accesses them last.

    /// The limits for the messages of one WebSocket or event stream: how many are kept, the bytes of all of them, and the bytes of one.
    static let messageLimit = 500
    static let messageBytesLimit = 256 << 10
    static let messageLengthLimit = 16 << 10
    private static let eventLimit = 100

    private let inspector: URLSessionInspector
    private let clock: any LoadClock
    // Exclusivity isn't checked at run time: a variable that is confined to one event loop can't be accessed twice at the same time.
    @exclusivity(unchecked) private var transfer: RecordedTransfer
    private var begin: Instant
    /// The request's fields as they are about to be sent; nil if no request has been sent.
    @exclusivity(unchecked) private var outgoing: HeaderFields?
    private var sentBody: BodyCapture
    private var receivedBody: BodyCapture
    private var messageBytes = 0
    private var reason: RepeatReason?
    /// Whether the transfer is shown while it is active, because it may stay open for long: a WebSocket or an event stream.
    private var isLong = false
    /// Splits the response's body into events if it is an event stream; nil for other bodies.
    private var events: EventSplitter?

    init(_ inspector: URLSessionInspector, _ task: RecordedTask, _ context: LoadContext) {
      self.inspector = inspector
      clock = context.clock
      begin = context.record.fetchStart ?? context.clock.now
      let capture = BodyCapture(limit: inspector.options.maximumBodyBytes, budget: inspector.budget)
      (sentBody, receivedBody) = (capture, capture)
      transfer = RecordedTransfer(number: 0, start: context.clock.date)
      transfer.origin = RecordedTransfer.Origin(
        session: task.session, task: task.identifier, kind: task.kind, description: task.description.map { inspector.redactor.text($0) })
      note(context.record.request)
      if inspector.options.recordsBodies { context.contents = self }
      // The fields of a WebSocket's handshake are only added after `willSend`, so the record has to keep the fields that were sent.
      if task.kind == "webSocket" { context.recordsSentFields = true }
      isLong = task.kind == "webSocket"
      inspector.begin(&transfer)
    }

    deinit {
      sentBody.drop()
      receivedBody.drop()
    }

    private var now: Double { milliseconds(clock.now) ?? 0 }

    private func milliseconds(_ instant: Instant?) -> Double? {
      // A phase that began before the load, because another load was already opening the connection, counts as beginning with the load.
      instant.map { $0 > begin ? Double(($0.nanoseconds - begin.nanoseconds + 500) / 1000) / 1000 : 0 }
    }

    private func note(_ request: LoadRequest) {
      transfer.request.method = request.method
      transfer.request.url = inspector.redactor.url(request.url?.absoluteString ?? "")
    }

    private func note(event text: String) {
      guard transfer.events.count < LoadRecorder.eventLimit else { return }
      transfer.events.append(RecordedTransfer.Event(time: now, text: text))
      if isLong { inspector.update(transfer) }
    }

    // MARK: - Bodies and messages

    func sent(body: ByteBuffer) { sentBody.append(body) }

    func received(body: ByteBuffer) {
      receivedBody.append(body)
      guard events != nil else { return }
      transfer.response?.decodedBytes = receivedBody.size
      for event in events?.take(body) ?? [] {
        let size = event.utf8.count
        keep(event, isSent: false, size: size, isCut: size >= EventSplitter.limit)
      }
      inspector.update(transfer)
    }

    func received(informational head: ResponseHead) { note(event: "\(head.status) \(head.reason)") }

    func exchanged(_ message: ObservedMessage) {
      let (size, kept) = (message.bytes.readableBytes, message.bytes.readableBytesView.prefix(LoadRecorder.messageLengthLimit))
      let isCut = kept.count < size
      if message.isText {
        keep(String(decoding: kept, as: UTF8.self), isSent: message.isSent, size: size, isCut: isCut)
      } else {
        // Binary messages are redacted as text too, because many protocols send JSON in them.
        let content = inspector.redactor.body(Data(kept), mediaType: "", isCut: isCut).base64EncodedString()
        keep(content: content, isSent: message.isSent, isText: false, size: size)
      }
      inspector.update(transfer)
    }

    private func keep(_ text: String, isSent: Bool, size: Int, isCut: Bool = false) {
      keep(content: inspector.redactor.text(text, isCut: isCut), isSent: isSent, isText: true, size: size)
    }

    private func keep(content: String, isSent: Bool, isText: Bool, size: Int) {
      transfer.messages.append(RecordedTransfer.Message(isSent: isSent, isText: isText, time: now, size: size, content: content))
      messageBytes += content.utf8.count
      while transfer.messages.count > LoadRecorder.messageLimit || messageBytes > LoadRecorder.messageBytesLimit,
        let first = transfer.messages.first
      {
        messageBytes -= first.content.utf8.count
        transfer.messages.removeFirst()
        transfer.droppedMessages += 1
      }
    }

    // MARK: - Events of the load

    func willSend(_ fields: inout HeaderFields) { outgoing = fields }

    func took(_ step: LoadStep) {
      guard case .cacheDecided(let decision, let reason) = step else { return }
      transfer.cache = RecordedTransfer.CacheUse(decision.name, reason.rawValue)
    }

    func willRepeat(after reason: RepeatReason) { self.reason = reason }

    func ended(_ record: TransactionRecord, next: LoadRequest) {
      let end = TransactionEnd(record, reason)
      reason = nil
      // The load may go on after a redirect or a challenge before the whole body has been received, so the body counts as incomplete.
      fill(record, isBroken: true)
      switch end {
      case .redirect: transfer.state = .redirected
      case .authentication: transfer.state = .authenticated
      case .failure(let error):
        transfer.state = .repeated
        transfer.failure = RecordedTransfer.Failure(error, inspector.redactor)
      case .status, .other: transfer.state = .repeated
      }
      inspector.end(transfer)
      beginNext(next)
    }

    private func beginNext(_ request: LoadRequest) {
      let cache = transfer.state == .repeated ? transfer.cache : nil
      begin = clock.now
      let origin = transfer.origin
      transfer = RecordedTransfer(number: 0, start: clock.date)
      transfer.origin = origin
      transfer.cache = cache
      note(request)
      outgoing = nil
      inspector.begin(&transfer)
    }

    func waitsForConnectivity() { note(event: "waits for a network") }

    func challenged(_ method: String) { note(event: "challenge: \(method)") }

    func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {
      // An event stream's events are recorded as messages, and shown when they arrive.
      if inspector.options.recordsBodies, response.mediaType.hasPrefix("text/event-stream") {
        events = EventSplitter()
        isLong = true
      }
      guard isLong else { return }
      fillHead(record(), response)
      inspector.update(transfer)
    }

    func finished(_ record: TransactionRecord, _ error: LoadError?) {
      fill(record, isBroken: error != nil)
      transfer.state = error == nil ? .completed : error?.kind == .cancelled ? .cancelled : .failed
      transfer.failure = error.map { RecordedTransfer.Failure($0, inspector.redactor) }
      inspector.end(transfer)
    }

    // MARK: - Facts from a transaction record

    private func fill(_ record: TransactionRecord, isBroken: Bool) {
      fillHead(record, record.response)
      transfer.phases.end = now
      if sentBody.size > 0 {
        let fields = transfer.request.fields
        let isPart = isBroken || fields.contains("Content-Range")
        transfer.request.body = sentBody.take(fields.first("Content-Type") ?? "", inspector.redactor, isPart: isPart)
      }
      if receivedBody.size > 0 {
        // In a multipart/byteranges body the `Content-Range` is in the parts, so the status 206 alone also means that the body is incomplete.
        let isPart = isBroken || transfer.response.map { $0.status == 206 || $0.fields.contains("Content-Range") } ?? false
        let received = receivedBody.take(transfer.response?.mediaType ?? "", inspector.redactor, isPart: isPart)
        transfer.response?.body = received
      }
      if let trailers = record.trailers { transfer.response?.trailers = inspector.redactor.fields(trailers) }
    }

    private func fillHead(_ record: TransactionRecord, _ response: LoadResponse?) {
      let redactor = inspector.redactor
      transfer.request.method = record.request.method
      let isAsSent = outgoing == nil || transfer.origin.kind == "webSocket"
      transfer.request.fields = redactor.fields(isAsSent ? record.request.headers : outgoing ?? HeaderFields())
      transfer.request.headBytes = record.requestHeaderBytes
      transfer.request.bodyBytes = record.requestBodyBytes
      transfer.source = record.fetchType.source
      transfer.response = response.map { RecordedTransfer.Response($0, record, redactor) }
      transfer.connection = record.connection.map { inspector.connection($0, record) }
      fillPhases(record)
    }

    private func fillPhases(_ record: TransactionRecord) {
      var phases = RecordedTransfer.Phases()
      phases.lookupStart = milliseconds(record.domainLookupStart)
      phases.lookupEnd = milliseconds(record.domainLookupEnd)
      phases.connectStart = milliseconds(record.connectStart)
      phases.connectEnd = milliseconds(record.connectEnd)
      phases.tlsStart = milliseconds(record.secureConnectionStart)
      phases.tlsEnd = milliseconds(record.secureConnectionEnd)
      phases.sendStart = milliseconds(record.requestStart)
      phases.sendEnd = milliseconds(record.requestEnd)
      phases.receiveStart = milliseconds(record.responseStart)
      phases.receiveEnd = milliseconds(record.responseEnd)
      transfer.phases = phases
    }
  }
#endif
