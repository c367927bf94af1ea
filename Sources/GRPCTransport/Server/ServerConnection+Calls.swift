import GRPC
import HTTP2
import Synchronization

/// What becomes of a request's headers: a call, or a refusal.
extension ServerConnection {
  func beginCall(_ id: Int32, _ head: RequestHead, endsStream: Bool) {
    switch head.judge(servesWeb: !home.policy.webOrigins.isEmpty) {
    case .accepted(let terms) where terms.contentType.isWeb && !mayCallFromWeb(head),
      .refused(_, let terms) where terms.contentType.isWeb && !mayCallFromWeb(head):
      refuse(id, .foreignOrigin)
    case .accepted(let terms) where assemblesTooMuch:
      refuse(id, Self.tooMuchAssembled, terms, head)
    case .accepted(let terms):
      let index = head.withValue(.path) { home.services.router.index(of: $0) } ?? nil
      guard let index else { return refuse(id, unknownMethod(head), terms, head) }
      beginCall(id, head, index, terms, endsStream: endsStream)
    case .preflight:
      answerPreflight(id, head)
    case .notGRPC(let refusal):
      refuse(id, refusal)
    case .refused(let status, let terms):
      refuse(id, status, terms, head)
    }
  }

  private func unknownMethod(_ head: RequestHead) -> Status {
    head.withValue(.path) { home.services.router.refusal(of: $0) } ?? Status(.unimplemented, "there is no path")
  }

  /// Answers from the headers alone; the body is dropped and its bytes are credited (G-047).
  private func refuse(_ id: Int32, _ status: Status, _ terms: CallTerms, _ head: RequestHead) {
    addFields {
      $0.appendTrailersOnly(status, terms, limit: trailerLimit)
      if terms.contentType.isWeb { $0.appendCORSHeaders(origin: head.origin ?? []) }
    }
    session.submitHeaders(streamID: id, endsStream: true)
    countRefusal(status.code, head)
  }

  private func refuse(_ id: Int32, _ refusal: HTTPRefusal) {
    home.figures.connections.foreignRequestCount += 1
    addFields { $0.appendRefusal(refusal) }
    session.submitHeaders(streamID: id, endsStream: true)
  }

  // MARK: - Browsers

  /// A caller that names no origin is no browser, and may be anyone.
  private func mayCallFromWeb(_ head: RequestHead) -> Bool {
    head.origin.map { home.policy.webOrigins.allow($0) } ?? true
  }

  private func answerPreflight(_ id: Int32, _ head: RequestHead) {
    guard let origin = head.origin, home.policy.webOrigins.allow(origin) else { return refuse(id, .foreignOrigin) }
    addFields { $0.appendPreflightAnswer(origin: origin, wanted: head.wantedHeaders) }
    session.submitHeaders(streamID: id, endsStream: true)
  }

  private func beginCall(_ id: Int32, _ head: RequestHead, _ index: Int, _ terms: CallTerms, endsStream: Bool) {
    let method = home.services.router[index]
    let call = ServerStream(connection: self, id: id, method: method, index: index, terms: terms)
    home.figures.began(call.methodIndex)
    session.setContext(call, streamID: id)
    if terms.contentType.isWeb { call.ensuredExtras.webOrigin = head.origin ?? [] }
    if home.onCall != nil, let trace = head.traceParent { call.ensuredExtras.trace = trace }
    if let overload = overload(of: method, index) {
      home.figures.connections.overloadCount += 1
      return call.finish(overload)
    }
    beginWork(call, method)
    if endsStream { call.flags.insert(.requestEnded) }
    if method.compressesAnswers, !terms.contentType.isWeb, head.acceptsGzip { call.flags.insert(.mayAnswerGzip) }
    if method.keepsMetadata {
      call.ensuredExtras.metadata = Metadata(head)
      call.ensuredExtras.authority = head.withAuthority { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    if let timeout = terms.timeoutMilliseconds {
      guard timeout > 0 else { return call.deadlinePassed() }
      watchDeadline(of: call)
    }
    guard method.needsAdmission, let admission = home.services.admission else { return call.admit(nil) }
    switch admission.admit(head, to: method, call: call, connection: context) {
    case .admitted(let caller): call.admit(caller)
    case .refused(let status): call.finish(status)
    case .pending(let ticket):
      ticket.whenResolved { resolution in
        switch resolution {
        case .admitted(let caller): call.admit(caller)
        case .refused(let status): call.finish(status)
        }
      }
    }
  }
}
