#if HTTP3
  import LoadingModel
  import NIOCore

  /// How far a connection of HTTP/3 has come.
  ///
  ///     opening -> open -> leaving -> closed
  ///     (each state may also go to closed at once)
  enum HTTP3State {
    /// The handshake is under way, and no exchange begins before it is over.
    case opening(Opening)
    /// Exchanges can begin. With `early`, the handshake isn't over yet.
    case open(early: HTTP3EarlyPhase?)
    /// No new streams are opened (GOAWAY or `shutDown`); open ones run to their ends.
    case leaving(early: HTTP3EarlyPhase?)
    case closed

    struct Opening {
      let ready: EventLoopPromise<Void>
      var watch: HTTP3HandshakeWatch?
      /// Whether the server has sent GOAWAY already: it takes no requests.
      var isLeaving = false

      func succeed() {
        watch?.end()
        ready.succeed()
      }

      func fail(_ error: any Error) {
        watch?.end()
        ready.fail(error)
      }
    }

    var isOpening: Bool { if case .opening = self { true } else { false } }
    var isOpen: Bool { if case .open = self { true } else { false } }
    var isLeaving: Bool { if case .leaving = self { true } else { false } }
    var isClosed: Bool { if case .closed = self { true } else { false } }

    /// The early phase, if the handshake is still under way while exchanges can begin; else nil.
    var early: HTTP3EarlyPhase? {
      switch self {
      case .open(let early), .leaving(let early): early
      case .opening, .closed: nil
      }
    }
  }

  /// Why a connection has to end once the C layer's call that is under way has returned.
  enum HTTP3PendingEnd {
    /// The owner has closed the connection.
    case close
    /// The path to which the connection has migrated failed its validation.
    case pathLost
  }
#endif
