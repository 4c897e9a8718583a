#if TestKit
  import Foundation

  /// The faults of one reply, sorted by the part of the reply that they affect.
  struct FaultPlan {
    var gatesBeforeHeaders: [Gate] = []
    var gatesBeforeBody: [Gate] = []
    var pace = WireStep.Pace()
    /// The stalls and disconnections within the body, sorted by their position in bytes.
    var cuts: [(position: Int, step: WireStep)] = []
    /// The bytes that are sent instead of a reply before the connection ends; nil to send the reply.
    var replacement: Data?
    var disconnectsAfterHeaders = false
    /// Whether the informational responses were already sent when the request began.
    var hasInformed = false
    var disconnection = WireStep.Disconnection.abrupt
    var announcedLength: Int?
    var closes = false
    var announcesClose = true
    var oversizedBytes = 0
    /// HTTP/2 and HTTP/3: the error code with which the stream is reset instead of a reply; nil to send the reply.
    var resetCode: Int?
    /// HTTP/2 and HTTP/3: whether the GOAWAY before the reply counts this request as processed; nil to send none.
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

  /// When the server reads the body of a request.
  enum BodyReading: Sendable {
    /// The whole body is read before the reply is sent.
    case first
    /// As `first`, but reading begins only when the gate allows it.
    case held(Gate)
    /// The reply is sent without waiting for the body, which is read and dropped.
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
