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
    /// No new streams; those that are open end as they may.
    case leaving(early: HTTP3EarlyPhase?)
    case closed

    struct Opening {
      let ready: EventLoopPromise<Void>
      var watch: HTTP3HandshakeWatch?
      /// The server takes no requests any more (GOAWAY).
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

    /// What goes on before the handshake is over, where exchanges begin then.
    var early: HTTP3EarlyPhase? {
      switch self {
      case .open(let early), .leaving(let early): early
      case .opening, .closed: nil
      }
    }
  }

  /// Why a connection is to end as soon as the call of the C layer does that is under way.
  enum HTTP3PendingEnd {
    /// The pool has closed the connection.
    case close
    /// The path that the connection has moved to doesn't lead to the server.
    case pathLost
  }
#endif
