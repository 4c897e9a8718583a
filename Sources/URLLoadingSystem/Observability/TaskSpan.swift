#if Tracing
  import Foundation
  import HTTPTransport
  import LoadingModel
  import Tracing

  /// The tracer for a session's spans.
  struct SessionTracing: Sendable {
    /// The configuration's tracer; nil for the process's.
    let own: (any Tracer)?

    /// The span of a task that is about to start; nil if there is no tracer or instrument, and for schemes other than HTTP's.
    func span(for task: any ObservedTask, _ context: LoadContext, showsQueries: Bool) -> TaskSpan? {
      let instrument = own ?? InstrumentationSystem.instrument
      guard !(instrument is NoOpInstrument) else { return nil }
      switch context.record.request.target?.origin.scheme {
      case "http", "https", "ws", "wss": break
      default: return nil
      }
      // If the process has an instrument but no tracer, this tracer records no spans, but still gives a context to inject.
      let tracer = own ?? InstrumentationSystem.tracer
      return TaskSpan(
        tracer, instrument, parent: task.callerContext ?? .topLevel, context.record.request, showsQueries: showsQueries)
    }
  }

  /// The span of one task: a client span by OpenTelemetry's conventions for HTTP, from the start of the load to its end.
  ///
  /// Its attributes are those of the task's first request and final response; redirects and repeated requests are its events. Its context is injected
  /// into each request of the task that is sent to a server.
  final class TaskSpan: LoadObserver, @unchecked Sendable {
    // @unchecked: `reason` and `resends` are confined to the load's event loop; the rest is immutable.
    private let span: any Span
    private let instrument: any Instrument
    private let showsQueries: Bool
    private var reason: RepeatReason?
    private var resends = 0

    var context: ServiceContext { span.context }

    init(_ tracer: any Tracer, _ instrument: any Instrument, parent: ServiceContext, _ request: LoadRequest, showsQueries: Bool) {
      self.instrument = instrument
      self.showsQueries = showsQueries
      let (name, original) = TaskSpan.method(request.method)
      span = tracer.startSpan(original == nil ? name : "HTTP", context: parent, ofKind: .client)
      guard span.isRecording else { return }
      span.updateAttributes { attributes in
        attributes["http.request.method"] = name
        if let original { attributes["http.request.method_original"] = original }
        attributes["url.full"] = ShownURL.text(request, showsQuery: showsQueries)
        if let origin = request.target?.origin {
          attributes["server.address"] = origin.host
          attributes["server.port"] = origin.port
        }
      }
    }

    /// The name "_OTHER" for methods that the conventions don't list, with the method itself as "original"; nil original for listed ones.
    private static func method(_ method: String) -> (name: String, original: String?) {
      switch method {
      case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE": (method, nil)
      default: ("_OTHER", method)
      }
    }

    func willSend(_ fields: inout HeaderFields) {
      var injected = InjectedFields()
      instrument.inject(span.context, into: &injected, using: FieldInjector())
      injected.add(to: &fields)
    }

    func willRepeat(after reason: RepeatReason) { self.reason = reason }

    func ended(_ record: TransactionRecord, next: LoadRequest) {
      let end = TransactionEnd(record, reason)
      reason = nil
      if case .networkLoad = record.fetchType { resends += 1 }
      guard span.isRecording else { return }
      var attributes: SpanAttributes = [:]
      if let status = record.response?.status { attributes["http.response.status_code"] = status }
      switch end {
      case .redirect:
        attributes["url.full"] = ShownURL.text(next, showsQuery: showsQueries)
        span.addEvent(SpanEvent(name: "http.redirect", attributes: attributes))
      case .failure(let error):
        attributes["error.type"] = error.typeName
        span.addEvent(SpanEvent(name: "http.resend", attributes: attributes))
      case .authentication: span.addEvent(SpanEvent(name: "http.authentication", attributes: attributes))
      case .status, .other: span.addEvent(SpanEvent(name: "http.resend", attributes: attributes))
      }
    }

    func waitsForConnectivity() { span.addEvent(SpanEvent(name: "url_session.waits_for_connectivity")) }

    func challenged(_ method: String) {}
    func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {}

    func finished(_ record: TransactionRecord, _ error: LoadError?) {
      defer { span.end() }
      guard span.isRecording else { return }
      let status = record.response?.status
      span.updateAttributes { attributes in
        if let status { attributes["http.response.status_code"] = status }
        if resends > 0 { attributes["http.request.resend_count"] = resends }
        if let version = record.protocolVersion {
          attributes["network.protocol.name"] = "http"
          attributes["network.protocol.version"] = version
        }
        if let address = record.connection?.remoteAddress { attributes["network.peer.address"] = address }
        if let port = record.connection?.remotePort { attributes["network.peer.port"] = port }
        if let error {
          attributes["error.type"] = error.typeName
        } else if let status, status >= 400 {
          attributes["error.type"] = "\(status)"
        }
      }
      if let error {
        span.setStatus(SpanStatus(code: .error, message: error.loggedMessage))
      } else if let status, status >= 400 {
        // The status code is in the attributes; the conventions leave the description empty.
        span.setStatus(SpanStatus(code: .error))
      }
    }
  }

  /// The header fields that a tracing instrument injects into a request.
  struct InjectedFields: Sendable {
    fileprivate var entries: [(name: String, value: String)] = []

    /// Adds the fields that are valid and that the app hasn't set. `tracestate` belongs to the `traceparent` sent with it, so it isn't added to the
    /// app's own.
    func add(to fields: inout HeaderFields) {
      let isTraced = fields.contains("traceparent")
      for (name, value) in entries where !fields.contains(name) && InjectedFields.canBeSent(name, value) {
        if isTraced, name.lowercased() == "tracestate" { continue }
        fields.add(name, value)
      }
    }

    /// Whether the name is a token and the value has no control characters (RFC 9110, 5.1 and 5.5).
    private static func canBeSent(_ name: String, _ value: String) -> Bool {
      !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !delimiters.contains($0) }
        && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static let delimiters = Array("\"(),/:;<=>?@[\\]{}".utf8)
  }

  private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout InjectedFields) {
      carrier.entries.append((key, value))
    }
  }
#endif
