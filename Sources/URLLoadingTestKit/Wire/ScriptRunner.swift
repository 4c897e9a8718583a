#if TestKit
  import Foundation
  import NIOCore

  /// The connection or stream that a script runs on, as `ScriptRunner` needs it.
  protocol ScriptConnection: AnyObject {
    /// Called after the last step. May start the next script at once.
    func scriptEnded()
    /// Called when the script waits for bytes from the peer.
    func scriptNeedsInput()
    /// Switches to TLS. `pending` are bytes that were read beyond the current step: the beginning of the handshake.
    func startTLS(_ certificate: TestCertificate, pending: ByteBuffer)
    /// Writes bytes to the connection, or as body content to the stream.
    func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?)
    /// Writes a field section. Does nothing on HTTP/1 and raw connections, where fields are part of the bytes.
    func write(_ fields: StreamFields)
    func perform(_ act: StreamAct)
    /// Ends the connection, or only the exchange, as `kind` says.
    func disconnect(_ kind: WireStep.Disconnection)
  }

  extension ScriptConnection {
    func write(_ fields: StreamFields) {}
    func perform(_ act: StreamAct) {}
  }

  /// Performs the steps of one script after another on a connection, no faster than the peer reads.
  ///
  /// Owned by the connection's handler and confined to its event loop.
  ///
  ///     idle --start--> ready --step--> waiting(gate | writability | write | input | forever) --event--> ready … --> idle
  ///     any --stop--> stopped
  final class ScriptRunner {
    private enum State {
      case idle, ready, stopped
      case waiting(Reason)
    }

    private enum Reason {
      case gate, writability, write, input, forever
    }

    private let context: ChannelHandlerContext
    private let record: ServerRecord
    private unowned let stage: any ScriptConnection
    private var state = State.idle
    private var isRunning = false
    private var steps: [WireStep] = []
    private var next = 0
    /// How many bytes of the current payload have been written (`progress`), and whether its next piece has already passed the pace's gate.
    private var progress = 0
    private var hasPassed = false
    private var gateWait: GateWait?
    private var output = ByteBuffer()
    /// Received bytes that no step has read yet. Only raw scripts have any.
    private(set) var input = ByteBuffer()
    private var inputHasEnded = false

    /// `stage` is the handler that owns the runner, and lives longer than it.
    init(context: ChannelHandlerContext, record: ServerRecord, stage: any ScriptConnection) {
      self.context = context
      self.record = record
      self.stage = stage
    }

    func start(_ steps: [WireStep]) {
      guard case .idle = state else { return }
      self.steps = steps
      next = 0
      progress = 0
      hasPassed = false
      state = .ready
      run()
    }

    /// Stops the script because the channel is closed: from now on nothing is written and no method of `stage` is called.
    func stop() {
      state = .stopped
      steps = []
      gateWait?.breakOff()
      gateWait = nil
    }

    func writabilityChanged() {
      if context.channel.isWritable { resume(from: .writability) }
    }

    func received(_ buffer: inout ByteBuffer) {
      input.writeBuffer(&buffer)
      resume(from: .input)
    }

    func inputEnded() {
      inputHasEnded = true
      resume(from: .input)
    }

    /// Discards received bytes at the end of a raw script, as no further step reads them.
    func dropInput() { input.clear() }

    private func resume(from reason: Reason) {
      guard case .waiting(reason) = state else { return }
      state = .ready
      run()
    }

    /// Performs steps until one has to wait. A loop instead of a recursion, so that a million steps that needn't wait don't exhaust the stack.
    private func run() {
      guard !isRunning else { return }
      isRunning = true
      while case .ready = state { performNext() }
      isRunning = false
    }

    private func performNext() {
      guard next < steps.count else {
        flush()
        state = .idle
        stage.scriptEnded()
        return
      }
      guard output.readableBytes < Payload.pieceLimit else {
        flush()
        if !context.channel.isWritable { state = .waiting(.writability) }
        return
      }
      switch steps[next] {
      case .send(let bytes):
        output.writeImmutableBuffer(bytes)
        next += 1
      case .payload(let payload, let pace): writePiece(of: payload, pace)
      case .pass(let gate):
        next += 1
        pass(gate)
      case .hold:
        flush()
        state = .waiting(.forever)
      case .read(let goal): read(goal)
      case .echo: echo()
      case .startTLS(let certificate):
        flush()
        next += 1
        let pending = input
        input = ByteBuffer()
        stage.startTLS(certificate, pending: pending)
      case .fields(let fields):
        flush()
        next += 1
        stage.write(fields)
      case .act(let act):
        flush()
        next += 1
        stage.perform(act)
      case .closeOutput:
        next += 1
        afterWriting { $0.context.close(mode: .output, promise: nil) }
      case .disconnect(let kind): disconnect(kind)
      }
    }

    private func writePiece(of payload: Payload, _ pace: WireStep.Pace) {
      if let gate = pace.gate, !hasPassed {
        hasPassed = true
        pass(gate)
        return
      }
      let length = min(pace.pieceSize, payload.count - progress)
      if pace.isChunked { output.writeString(String(length, radix: 16) + "\r\n") }
      progress += payload.write(from: progress, atMost: length, into: &output)
      if pace.isChunked { output.writeString("\r\n") }
      hasPassed = false
      if progress >= payload.count {
        progress = 0
        next += 1
      }
      if pace.isSeparate { afterWriting { _ in } }
    }

    private func pass(_ gate: Gate) {
      flush()
      gateWait = GateWait(gate, self, on: context.eventLoop) { $0.resume(from: .gate) }
      if gateWait != nil { state = .waiting(.gate) }
    }

    private func read(_ goal: WireStep.ReadGoal) {
      flush()
      if let length = goal.length(in: input) {
        input.moveReaderIndex(forwardBy: length)
        input.discardReadBytes()
        next += 1
      } else if inputHasEnded {
        input.clear()
        next += 1
      } else {
        state = .waiting(.input)
        stage.scriptNeedsInput()
      }
    }

    private func echo() {
      if input.readableBytes > 0 {
        output.writeBuffer(&input)
        input.clear()
      } else if inputHasEnded {
        next += 1
      } else {
        flush()
        state = .waiting(.input)
        stage.scriptNeedsInput()
      }
    }

    private func flush() {
      if output.readableBytes > 0 { write(promise: nil) }
    }

    private func write(promise: EventLoopPromise<Void>?) {
      record.addSent(output.readableBytes)
      let bytes = output
      output = ByteBuffer()
      stage.write(bytes, promise)
    }

    /// Writes the pending output and calls `action`, in a later turn of the event loop, when the operating system has taken all bytes.
    private func afterWriting(_ action: @escaping (ScriptRunner) -> Void) {
      state = .waiting(.write)
      let promise = context.eventLoop.makePromise(of: Void.self)
      let runner = Weak(self)
      let eventLoop = context.eventLoop
      promise.futureResult.assumeIsolated().whenComplete { _ in
        eventLoop.assumeIsolated().execute {
          guard let runner = runner.object, case .waiting(.write) = runner.state else { return }
          action(runner)
          runner.resume(from: .write)
        }
      }
      // If the output is empty, the write of the empty buffer completes after all earlier writes.
      write(promise: promise)
    }

    /// Skips the remaining steps, and ends the connection when all earlier output has been written.
    private func disconnect(_ kind: WireStep.Disconnection) {
      next = steps.count
      afterWriting { runner in
        runner.state = .waiting(.forever)
        runner.stage.disconnect(kind)
      }
    }
  }

  extension WireStep.ReadGoal {
    /// The number of bytes at the beginning of `input` that fulfil the goal; nil if more have to be received.
    fileprivate func length(in input: ByteBuffer) -> Int? {
      switch self {
      case .count(let count): input.readableBytes >= count ? max(0, count) : nil
      case .end: nil
      case .until(let mark):
        input.readableBytesView.firstRange(of: mark).map { $0.upperBound - input.readerIndex }
      }
    }
  }
#endif
