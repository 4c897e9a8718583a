#if TestKit
  import Foundation

  /// The faults of one reply, sorted by what they affect.
  struct FaultPlan {
    var gatesBeforeHeaders: [Gate] = []
    var gatesBeforeBody: [Gate] = []
    var pace = WireStep.Pace()
    /// What happens at positions of the body, in order.
    var cuts: [(position: Int, step: WireStep)] = []
    /// What is sent in place of a reply before the connection ends.
    var replacement: Data?
    var disconnectsAfterHeaders = false
    /// The informational responses have been sent already.
    var hasInformed = false
    var disconnection = WireStep.Disconnection.abrupt
    var announcedLength: Int?
    var closes = false
    var announcesClose = true
    var oversizedBytes = 0
    /// HTTP/2: the stream is reset with this error code in place of a reply.
    var resetCode: Int?
    /// HTTP/2: GOAWAY before the reply; whether it counts this request among those that were acted on.
    var goesAway: Bool?

    init(_ faults: [Fault]) {
      var cutPosition: Int?
      var resets = false
      for fault in faults {
        switch fault {
        case .delayBeforeHeaders(let gate): gatesBeforeHeaders.append(gate)
        case .delayBeforeBody(let gate): gatesBeforeBody.append(gate)
        case .trickle(let size, let gate):
          pace.pieceSize = min(max(1, size), Payload.pieceLimit)
          pace.isSeparate = true
          pace.gate = gate
        case .stallAfter(let bytes, let gate): cuts.append((max(0, bytes), gate.map { .pass($0) } ?? .hold))
        case .disconnectBeforeHeaders: replacement = replacement ?? Data()
        case .disconnectAfterHeaders: disconnectsAfterHeaders = true
        case .disconnectAfterBodyBytes(let bytes): cutPosition = min(max(0, bytes), cutPosition ?? .max)
        case .breakOffAfter(let bytes):
          cutPosition = min(max(0, bytes), cutPosition ?? .max)
          disconnection = .exchange
        case .reset: resets = true
        case .garbage(let bytes): replacement = bytes
        case .wrongContentLength(let length): announcedLength = length
        case .closeAfterReply(let announce):
          closes = true
          announcesClose = announce
        case .informationalAtOnce: hasInformed = true
        case .slowReader, .replyBeforeRequestBody, .breakOffWithinRequest: break  // These concern the request: see `ReplyPlan`.
        case .oversizedHeaders(let bytes): oversizedBytes = max(0, bytes)
        case .resetStream(let code): resetCode = code
        case .goAway(let isProcessed): goesAway = isProcessed
        }
      }
      if resets {
        disconnection = .reset
        if cutPosition == nil, !disconnectsAfterHeaders { replacement = replacement ?? Data() }
      }
      if let cutPosition { cuts.append((cutPosition, .disconnect(disconnection))) }
      // A stall comes before a disconnection at the same position.
      cuts.sort { ($0.position, $0.step.isDisconnection ? 1 : 0) < ($1.position, $1.step.isDisconnection ? 1 : 0) }
    }
  }

  extension WireStep {
    var isDisconnection: Bool {
      if case .disconnect = self { true } else { false }
    }
  }

  /// When the server reads a request's body.
  enum BodyReading: Sendable {
    /// Before it replies.
    case first
    /// Before it replies, and not before the gate lets it.
    case held(Gate)
    /// While it replies or after, without keeping it.
    case afterwards

    init(_ faults: [Fault]) {
      self = .first
      for fault in faults {
        switch fault {
        case .slowReader(let gate): self = .held(gate)
        case .replyBeforeRequestBody: self = .afterwards
        default: continue
        }
      }
    }
  }
#endif
