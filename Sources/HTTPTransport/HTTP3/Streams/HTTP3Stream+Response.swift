#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Receiving a response on a stream, by HTTP/3's rules for messages (RFC 9114, 4.1).

  extension HTTP3Stream {
    /// A violation of the protocol for which the stream is cancelled with `code`; its exchange fails with `error`.
    struct Fault: Error {
      let code: HTTP3ErrorCode
      let error: LoadError

      static func malformed(_ explanation: String, _ code: HTTP3ErrorCode = .messageError) -> Fault {
        Fault(code: code, error: HTTP3Stream.malformed(explanation))
      }

      init(code: HTTP3ErrorCode, error: LoadError) {
        self.code = code
        self.error = error
      }

      /// A field section that is too long isn't malformed: the stream is cancelled with H3_EXCESSIVE_LOAD (RFC 9114, 8.1).
      init(_ flaw: FieldSection.Flaw) {
        code = if case .tooLarge = flaw { .excessiveLoad } else { .messageError }
        error = HTTP3Stream.malformed(flaw.explanation)
      }
    }

    /// The kind of a complete field section, with its contents.
    private enum Section {
      case informational(ResponseHead)
      case head(ResponseHead, ResponseBodyFraming, length: Int)
      case trailers(HeaderFields?)
    }

    private static let informationalLimit = 1000

    private static func malformed(_ explanation: String) -> LoadError {
      LoadError(.cannotParseResponse, .head, "the server's answer is not well-formed HTTP/3: \(explanation)")
    }

    // MARK: the regular course of a response

    /// Adds a decoded field to the section that is being read. Throws as soon as the section is invalid, as it may be endless.
    func add(_ field: HPACKField) throws(Fault) {
      section.add(field)
      if let flaw = section.flaw { throw Fault(flaw) }
    }

    /// The field section is complete: passes it to the exchange.
    ///
    /// - Returns: Whether it is the head of the final response.
    func receiveSection(isTrailer: Bool, at now: Instant) throws(Fault) -> Bool {
      let context = exchange.context
      context.lastActivity = now
      switch try endSection(isTrailer: isTrailer) {
      case .trailers(let fields): context.record.trailers = fields
      case .informational(let head): exchange.receive(informational: head)
      case .head(let head, let framing, let length):
        context.record.responseStart = now
        context.record.responseHeaderBytes = Int64(length)
        exchange.receive(head: head, framing: framing)
        return true
      }
      return false
    }

    private func endSection(isTrailer: Bool) throws(Fault) -> Section {
      var section = FieldSection()
      swap(&section, &self.section)
      if isTrailer {
        // RFC 9114, 4.3: "Pseudo-header fields MUST NOT appear in trailer sections."
        guard section.status == nil else { throw .malformed("its trailers have a status") }
        return .trailers(TrailerRules.kept(section.fields))
      }
      guard let status = section.status else { throw .malformed("it has no status") }
      let head = ResponseHead(status: status, version: "HTTP/3", headers: HeaderFields(section.fields))
      if head.isInformational {
        try countInformational(head)
        return .informational(head)
      }
      let framing: ResponseBodyFraming
      do throws(LoadError) {
        framing = try ResponseBodyRules.framing(method: method, head: head)
      } catch {
        throw Fault(code: .messageError, error: error)
      }
      lengthLeft = framing.promisedLength(isTunnel: isTunnel, status: head.status)
      hasHead = true
      let length = section.fields.reduce(":status".utf8.count + 3) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      return .head(head, framing, length: length)
    }

    private func countInformational(_ head: ResponseHead) throws(Fault) {
      informationalCount += 1
      // HTTP/3 has no 101 (RFC 9114, 4.5).
      guard head.status != 101 else { throw .malformed("an informational response stands where the final one must") }
      guard informationalCount <= HTTP3Stream.informationalLimit else {
        throw .malformed("informational responses have no end", .requestCancelled)
      }
    }

    /// Counts received bytes of the body against its Content-Length.
    func count(_ length: Int) throws(Fault) {
      guard hasHead else { throw .malformed("its body comes before its head") }
      guard let left = lengthLeft else { return }
      guard left >= Int64(length) else { throw .malformed("its body is longer than its Content-Length says") }
      lengthLeft = left - Int64(length)
    }

    /// The server has ended the stream: checks that the response is complete.
    ///
    /// - Parameter isWhole: Whether the C layer found the last frame complete and valid.
    func checkEnd(isWhole: Bool) throws(Fault) {
      guard hasHead else {
        throw Fault(
          code: .messageError, error: LoadError(.cannotParseResponse, .head, "the server ended the response before its head"))
      }
      if let left = lengthLeft, left > 0 {
        let text = "the server ended the response \(left) bytes before the length it had announced"
        throw Fault(code: .messageError, error: LoadError(.networkConnectionLost, .body, text))
      }
      guard isWhole else { throw .malformed("it breaks the rules for messages") }
    }

    /// The response is complete: ends the sending side of the stream; the rest of the request isn't sent.
    func endSending(_ handle: QUICHandle) {
      guard isSending else { return }
      if isTunnel {
        uls_h3_finish(handle.pointer, id)
      } else {
        // The server doesn't need the rest of the request (RFC 9114, 4.1).
        uls_h3_reset_writing(handle.pointer, id, HTTP3ErrorCode.noError.rawValue)
      }
    }

    // MARK: errors

    /// The error of an exchange whose stream the server has ended with an error code (RFC 9114, 4.1.1 and 8.1).
    func error(of code: HTTP3ErrorCode) -> LoadError {
      if code == .messageError { return HTTP3Stream.malformed("it breaks the rules for messages") }
      if hasHead {
        return LoadError(.networkConnectionLost, .body, "the server broke off the response before its body was complete (\(code))")
      }
      var error = LoadError(.networkConnectionLost, .head, "the server refused to answer the request (\(code))")
      if code == .requestRejected { error.resendReason = .refused }
      if code == .versionFallback { error.resendReason = .needsHTTP1 }
      return error
    }

    /// Fails the exchange with `error`, because the connection has ended.
    ///
    /// - Parameter wasUsed: Whether the connection had served other exchanges, so that a request without a response may be sent again.
    func fail(_ error: LoadError, wasUsed: Bool) {
      var failure = error
      if failure.kind == .networkConnectionLost, !hasHead, failure.resendReason == nil {
        failure.resendReason = wasUsed ? .staleConnection : .cutOff
      }
      if hasHead, failure.phase == .head { failure.phase = .body }
      exchange.fail(failure)
    }

    /// The error of the exchange for the connection's end, which `error` explains.
    func failure(by error: any Error) -> LoadError {
      if hasHead { return TransportErrors.readingBody(error) }
      var mapped = TransportErrors.awaitingHead(error, hasBegun: false)
      if error is PathLoss { mapped.resendReason = .pathLost }
      return mapped
    }
  }
#endif
