#if HTTP3
  import CLoadingQUIC
  import CLoadingQUICServer
  import NIOCore
  import NIOEmbedded

  /// One connection of a `QUICServer`: keeps what has come on each stream, and writes what a test, or the server's reply, says.
  final class QUICServerConnection {
    struct Request {
      let stream: Int64
      var fields: [String: String] = [:]
      var body: [UInt8] = []
      var isEnded = false
      /// The code with which the client broke off what it sent, and with which it refused the rest of the response.
      var reset: UInt64?
      var stopped: UInt64?
      /// Whether functions that were given the stream by `stream_closed` took it; nil before that.
      var isTakenOnceClosed: Bool?
    }

    private let server: QUICServer
    private(set) var handle: OpaquePointer?
    private(set) var requests: [Request] = []
    /// How it ended; nil as long as it hasn't.
    private(set) var failure: uls_h3_failure_facts?
    private var timer: Scheduled<Void>?
    private var loop: EmbeddedEventLoop { server.network.loop }
    private var now: UInt64 { loop.now.uptimeNanoseconds }

    init?(_ server: QUICServer, _ greeting: uls_h3_greeting, _ path: uls_h3_path) {
      guard let tls = server.makeTLS() else { return nil }
      self.server = server
      var (greeting, path, settings, events) = (greeting, path, server.settings, QUICServerConnection.events)
      let own = Unmanaged.passUnretained(self).toOpaque()
      handle = uls_h3_server(tls, &greeting, &path, &settings, &events, own, server.secret, now)
      guard handle != nil else { return nil }
    }

    // MARK: packets

    func receive(_ datagram: uls_h3_bytes, _ path: uls_h3_path, ecn: CInt) {
      guard let handle else { return }
      var path = path
      settle(uls_h3_read(handle, &path, ecn, datagram, now))
    }

    /// Sends what there is to send, and plans the next wake.
    private func settle(_ state: uls_h3_state = ULS_H3_OPEN) {
      guard let handle else { return }
      var state = state
      while state == ULS_H3_OPEN, write(handle, &state) {}
      if state == ULS_H3_CLOSING { _ = write(handle, &state) }
      guard state == ULS_H3_OPEN else { return end(uls_h3_failure(handle)) }
      timer?.cancel()
      timer = nil
      let expiry = uls_h3_expiry(handle)
      guard expiry != .max else { return }
      // What is due already isn't tried again at once: it may have to wait for the client, as where nothing more may be sent to an address that
      // isn't validated.
      let wake = expiry > now ? expiry : now + 1_000_000
      timer = loop.scheduleTask(deadline: .uptimeNanoseconds(wake)) { [weak self] in self?.expire() }
    }

    private func write(_ handle: OpaquePointer, _ state: inout uls_h3_state) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16 * 1500)
      var batch = uls_h3_batch()
      state = uls_h3_write(handle, &buffer, buffer.count, &batch, now)
      guard batch.length > 0, let address = SocketAddress(batch.path.remote) else { return false }
      for start in stride(from: 0, to: batch.length, by: max(1, batch.segment)) {
        let datagram = buffer[start..<min(batch.length, start + batch.segment)]
        server.network.sendToClient(ByteBuffer(bytes: datagram), to: address, ecn: batch.ecn)
      }
      return true
    }

    private func expire() {
      timer = nil
      guard let handle else { return }
      settle(uls_h3_expiry(handle) <= now ? uls_h3_expire(handle, now) : ULS_H3_OPEN)
    }

    /// No event follows, and the client isn't told.
    func end(_ failure: uls_h3_failure_facts? = nil) {
      guard let handle else { return }
      self.failure = failure
      self.handle = nil
      timer?.cancel()
      uls_h3_free(handle)
    }

    /// Bytes that the client takes now on all streams together.
    var clientRoom: Int { handle.map { Int(uls_h3_client_room($0)) } ?? 0 }

    // MARK: what a test says

    func close(_ code: UInt64) { perform { uls_h3_close($0, code) } }
    func goAway() { perform { uls_h3_go_away($0) } }
    func reset(_ stream: Int64, _ code: UInt64) { perform { uls_h3_reset_writing($0, stream, code) } }
    func stopReading(_ stream: Int64, _ code: UInt64) { perform { uls_h3_stop_reading($0, stream, code) } }
    func respond(_ stream: Int64, body count: Int, ends: Bool = true) { perform { self.respond($0, stream, [count], ends) } }

    /// Answers with a body of some DATA frames.
    ///
    /// - Parameter length: What the response says its body's length is.
    func respond(_ stream: Int64, frames: [Int], saying length: Int) {
      perform { self.respond($0, stream, frames, true, [("content-length", String(length))]) }
    }

    /// Answers with fields of the test's beside the status.
    func respond(_ stream: Int64, fields: [(String, String)], body count: Int) {
      perform { self.respond($0, stream, [count], true, fields) }
    }

    private func perform(_ action: (OpaquePointer) -> Void) {
      guard let handle else { return }
      action(handle)
      settle()
    }

    private func respond(
      _ handle: OpaquePointer, _ stream: Int64, _ frames: [Int], _ ends: Bool, _ others: [(String, String)] = []
    ) {
      let fields = [(":status", "200")] + others
      withFields(fields) { _ = uls_h3_respond(handle, stream, $0, fields.count, 0) }
      for count in frames {
        QUICServer.body(count).withUnsafeBufferPointer {
          _ = uls_h3_send(handle, stream, uls_h3_bytes(data: $0.baseAddress, length: $0.count))
        }
      }
      if ends { _ = uls_h3_finish(handle, stream) }
    }
  }

  // MARK: events

  /// The connection that an event is of: alive, as its handle is freed before it.
  private func served(_ own: UnsafeMutableRawPointer?) -> QUICServerConnection? {
    own.map { Unmanaged<QUICServerConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  extension QUICServerConnection {
    fileprivate static var events: uls_h3_events {
      var events = uls_h3_events.unheard
      events.field = { own, stream, name, value in served(own)?.change(stream) { $0.fields[name.text] = value.text } }
      events.data = { served($0)?.data($1, $2) }
      events.stream_ended = { own, stream, _ in served(own)?.ended(stream) }
      events.stream_reset = { own, stream, code in served(own)?.change(stream) { $0.reset = code } }
      events.stopped = { own, stream, code in served(own)?.change(stream) { $0.stopped = code } }
      events.stream_closed = { own, stream, _ in served(own)?.closed(stream) }
      events.names_connection = { served($0)?.named(Array($1.buffer), isUsed: $2 != 0) }
      return events
    }

    func named(_ identifier: [UInt8], isUsed: Bool) { server.name(self, identifier, isUsed: isUsed) }

    private func change(_ stream: Int64, _ change: (inout Request) -> Void) {
      if !requests.contains(where: { $0.stream == stream }) { requests.append(Request(stream: stream)) }
      for index in requests.indices where requests[index].stream == stream { change(&requests[index]) }
    }

    private func data(_ stream: Int64, _ bytes: uls_h3_bytes) {
      change(stream) { $0.body += bytes.buffer }
      guard let handle else { return }
      uls_h3_consume(handle, stream, bytes.length)
      uls_h3_consume_connection(handle, bytes.length)
    }

    private func closed(_ stream: Int64) {
      guard let handle else { return }
      let byte: [UInt8] = [1]
      let isTaken = byte.withUnsafeBufferPointer {
        uls_h3_send(handle, stream, uls_h3_bytes(data: $0.baseAddress, length: 1)) + uls_h3_finish(handle, stream)
      }
      uls_h3_cancel(handle, stream, 0x10c)
      change(stream) { $0.isTakenOnceClosed = isTaken != 0 }
    }

    private func ended(_ stream: Int64) {
      change(stream) { $0.isEnded = true }
      guard let handle, let request = requests.last(where: { $0.stream == stream }) else { return }
      if case .body(let count) = server.reply(request) { respond(handle, stream, [count], true) }
    }
  }

  /// Calls `body` with the fields as the C layer takes them; they hold during the call.
  func withFields(_ fields: [(String, String)], _ body: (UnsafePointer<uls_h3_field>?) -> Void) {
    let text = fields.flatMap { Array($0.0.utf8) + Array($0.1.utf8) }
    text.withUnsafeBufferPointer { text in
      var place = text.baseAddress
      let list = fields.map { name, value in
        let (name, value) = (uls_h3_bytes(data: place, length: name.utf8.count), value.utf8.count)
        place = place?.advanced(by: name.length)
        defer { place = place?.advanced(by: value) }
        return uls_h3_field(name: name, value: uls_h3_bytes(data: place, length: value), is_secret: 0)
      }
      list.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }

  extension uls_h3_bytes {
    fileprivate var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: data == nil ? 0 : length) }
    fileprivate var text: String { String(decoding: buffer, as: UTF8.self) }
  }

  extension SocketAddress {
    /// nil unless it is one of IPv4.
    fileprivate init?(_ storage: sockaddr_storage) {
      let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
      guard address.sin_family == UInt16(AF_INET) else { return nil }
      self.init(address)
    }
  }
#endif
