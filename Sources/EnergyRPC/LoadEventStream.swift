internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC
internal import ProtobufWire
internal import Storage

/// One call of `energykit.v1.LoadEventService/StreamLoadEvents`: batches in, each answered once it is durable, in order.
///
/// A batch is decoded and handed over before the next is taken, so that the store sees them in the order of the stream.
/// Where one has to come again, those behind it are refused as well for a while (docs/decisions/0020-batches-of-a-stream.md).
/// Some may wait for their commit at once; above that the stream's window stays closed (docs/architecture.md, Limits).
///
/// `@unchecked Sendable`: used on the call's loop only.
final class LoadEventStream: RequestConsumer, CallObserver, @unchecked Sendable {
  /// Batches of a stream that may wait for their commit, and events in them (one batch may have more): no more than the
  /// queue to the store always has for a client, so that a stream that is faster than the disk is held, not refused.
  static let maximumBatchCount = 32
  static let maximumEventCount = 2_000

  private let call: any ServerCall
  private let loop: EnergyLoop
  /// Whom it is judged by when a client changes; `nil` where the call was refused at once.
  private let standing: StandingEventStream?
  /// In the order of the stream; the first has no answer yet, but for the moment in which it leaves.
  private var waiting: [StreamedBatch] = []
  private var waitingEventCount = 0
  /// Asks for the next message; there while the window is closed.
  private var ready: (() -> Void)?
  /// Whether a batch is being decoded or waits for what is known of its venue.
  private var isBusy = false
  private var hasHalfClosed = false
  private var pause = StreamPause()

  init(_ call: any ServerCall, on loop: EnergyLoop) {
    self.call = call
    self.loop = loop
    standing = Self.standing(call, by: loop.caller(of: call))
    guard standing != nil else { return }
    call.observer = self
    if let standing { loop.standing.add(standing) }
    call.sendHeaders()
  }

  /// `nil`, and the call has failed, where the client has as many streams as it may.
  private static func standing(_ call: any ServerCall, by caller: Caller?) -> StandingEventStream? {
    guard let caller else { return nil }
    do throws(EnergyKitError) {
      try caller.budget.openStream()
      return StandingEventStream(call, by: caller)
    } catch {
      call.fail(error)
      return nil
    }
  }

  // MARK: The transport

  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool {
    guard !call.hasEnded, let standing else { return false }
    take(message, from: standing.caller)
    guard isHeld else { return true }
    self.ready = ready
    return false
  }

  func receiveEnd() {
    hasHalfClosed = true
    goOn()
  }

  func callCanSend(_ call: any ServerCall) { goOn() }

  func callEnded(_ call: any ServerCall, _ end: CallEnd) {
    waiting = []
    ready = nil
    guard let standing else { return }
    standing.budget.closeStream()
    standing.call = nil
    loop.standing.remove(standing)
  }

  // MARK: A batch

  /// Something about the client has changed: what follows waits until it is known what. Ends the call where the client
  /// may not go on.
  private func renew(_ standing: StandingEventStream, _ body: @escaping () -> Void) {
    loop.access.fetchCaller(standing.caller.credential) { [self] result in
      guard !call.hasEnded else { return body() }
      do throws(EnergyKitError) {
        if let caller = try result.get() {
          try caller.require(.energyKit)
          standing.caller = caller
        } else {
          call.finish(.unauthenticated)
        }
      } catch {
        call.fail(error)
      }
      body()
    }
  }

  private func take(_ message: UnsafeRawBufferPointer, from caller: Caller) {
    let batch: StreamedBatch
    do {
      batch = StreamedBatch(of: self, from: caller, sequence: try StreamSequence.read(message), loop.shared)
    } catch {
      return call.fail(error)
    }
    waiting.append(batch)
    isBusy = true
    do throws(WireError) {
      var decoder = try LoadEventBatchDecoder(message, fields: .stream, sessionRules: loop.shared.sessionRules)
      if try decoder.decodeSlice(of: message, arena: loop.arena) {
        submit(decoder.request, as: batch)
      } else {
        call.keptByteCount = message.count
        decodeRest(of: SlicedBatch(decoder: decoder, message: Array(message)), as: batch)
      }
    } catch {
      refuse(batch, error)
    }
  }

  /// One slice a turn, so that a large batch lets other calls of the loop through (docs/architecture.md, Limits).
  private func decodeRest(of sliced: SlicedBatch, as batch: StreamedBatch) {
    loop.executor.afterTurn { [self] in
      guard !call.hasEnded else { return }
      do throws(WireError) {
        if try sliced.decodeSlice(arena: loop.arena) {
          call.keptByteCount = 0
          submit(sliced.decoder.request, as: batch)
        } else {
          decodeRest(of: sliced, as: batch)
        }
      } catch {
        call.keptByteCount = 0
        refuse(batch, error)
      }
    }
  }

  private func submit(_ request: SubmitLoadEventsRequest, as batch: StreamedBatch) {
    batch.eventCount = request.eventCount
    waitingEventCount += request.eventCount
    if let error = pause.refusal(at: monotonicNanoseconds()) {
      return settle(batch, .refused(BatchError(error, rejectedCount: request.eventCount)))
    }
    withAccess(to: request.venueID) { [self] access in
      switch access {
      case .granted(let caller, let pass): submit(request, at: pass, as: batch, from: caller)
      case .unknown(let error): refuse(batch, error, of: request)
      case .callEnded: break
      }
    }
  }

  private func submit(
    _ request: SubmitLoadEventsRequest, at pass: VenuePass?, as batch: StreamedBatch, from caller: Caller
  ) {
    if request.eventCount > caller.budget.maximumBatchCount {
      return refuse(batch, .tooManyEvents(maximumCount: caller.budget.maximumBatchCount))
    }
    guard loop.needsDailyEvents(of: caller, at: pass) else {
      return hand(over: request, at: pass, as: batch, from: caller, isOfDay: false)
    }
    loop.takeDailyEvents(request.eventCount, of: caller) { [self] result in
      switch result {
      case .success: handOverOfDay(request, as: batch, from: caller)
      case .failure(let error): refuse(batch, error, of: request)
      }
    }
  }

  /// The store was asked meanwhile: who calls and what they may do is looked up anew.
  private func handOverOfDay(_ request: SubmitLoadEventsRequest, as batch: StreamedBatch, from caller: Caller) {
    withAccess(to: request.venueID) { [self] access in
      switch access {
      case .granted(let caller, let pass):
        return hand(over: request, at: pass, as: batch, from: caller, isOfDay: true)
      case .unknown(let error): refuse(batch, error, of: request)
      case .callEnded: break
      }
      loop.giveBackDailyEvents(request.eventCount, of: caller)
    }
  }

  private enum Access {
    /// Both as of this moment.
    case granted(Caller, VenuePass?)
    case unknown(EnergyKitError)
    case callEnded
  }

  /// Looks up who the caller is and what they may do at the venue: at once where this loop knows it.
  private func withAccess(to venueID: UUID, _ body: @escaping (Access) -> Void) {
    guard !call.hasEnded, let standing else { return body(.callEnded) }
    let caller = standing.caller
    guard loop.access.isCurrent(caller) else {
      return renew(standing) { [self] in withAccess(to: venueID, body) }
    }
    switch loop.access.pass(clientID: caller.id, venueID: venueID) {
    case .hit(let pass): body(.granted(caller, pass))
    case .absent: body(.granted(caller, nil))
    case .miss:
      loop.access.fetchPass(clientID: caller.id, venueID: venueID) { [self] result in
        switch result {
        case .success: withAccess(to: venueID, body)
        case .failure(let error): body(.unknown(error))
        }
      }
    }
  }

  private func hand(
    over request: SubmitLoadEventsRequest, at pass: VenuePass?, as batch: StreamedBatch, from caller: Caller,
    isOfDay: Bool
  ) {
    do throws(EnergyKitError) {
      let submission = try loop.shared.loadEvents.submission(
        of: EventBatch(request), as: caller, at: pass, tokens: loop.tokens, order: pause.order, mailbox: loop.mailbox,
        ticket: batch)
      loop.mailbox.send(submission)
      loop.shared.eventCounters.count(zeroed: request.zeroedEventCount)
      isBusy = false
      goOn()
    } catch {
      if isOfDay { loop.giveBackDailyEvents(request.eventCount, of: caller) }
      refuse(batch, error, of: request)
    }
  }

  private func refuse(_ batch: StreamedBatch, _ error: EnergyKitError, of request: SubmitLoadEventsRequest) {
    noteRefusal(error)
    settle(batch, .refused(BatchError(error, rejectedCount: request.eventCount)))
  }

  /// What follows must not overtake a batch that is to come again.
  fileprivate func noteRefusal(_ error: EnergyKitError) {
    pause.begin(after: error, at: monotonicNanoseconds())
  }

  private func refuse(_ batch: StreamedBatch, _ error: WireError) {
    guard let refusal = BatchError(error) else { return call.fail(error) }
    settle(batch, .refused(refusal))
  }

  /// Answers a batch that never came to the store.
  private func settle(_ batch: StreamedBatch, _ outcome: StreamLoadEventsResponse.Outcome) {
    isBusy = false
    batch.answer = outcome
    goOn()
  }

  // MARK: Going on

  /// Sends the answers whose turn it is, then takes the next batch where there is room, or ends.
  func goOn() {
    guard !call.hasEnded else { return }
    while let first = waiting.first, let answer = first.answer, call.bufferedByteCount <= CallLimits.bufferedBytes {
      waiting.removeFirst()
      waitingEventCount -= first.eventCount
      call.send(StreamLoadEventsResponse(sequence: first.sequence, answer))
    }
    if let ready, !isHeld {
      self.ready = nil
      ready()
    }
    if hasHalfClosed, waiting.isEmpty { call.finish(.ok) }
  }

  /// Whether the next message has to wait.
  private var isHeld: Bool {
    isBusy || waiting.count >= Self.maximumBatchCount || waitingEventCount >= Self.maximumEventCount
      || call.bufferedByteCount > CallLimits.bufferedBytes
  }
}

/// The client's side of an open stream; each batch is judged by what is now known of the caller.
final class StandingEventStream: StandingCall {
  var call: (any ServerCall)?
  var caller: Caller
  /// In which the stream is counted.
  let budget: ClientBudget

  init(_ call: any ServerCall, by caller: Caller) {
    self.call = call
    self.caller = caller
    budget = caller.budget
  }

  func callerWasJudged() {}
}

/// A batch of a stream until its answer has left.
///
/// `@unchecked Sendable`: used on the call's loop only.
final class StreamedBatch: OutcomeTicket, @unchecked Sendable {
  let sequence: UInt64
  /// Events in the request, well formed or not.
  var eventCount = 0
  var answer: StreamLoadEventsResponse.Outcome?
  private weak let stream: LoadEventStream?
  private let caller: Caller
  private let shared: SharedServices

  init(of stream: LoadEventStream, from caller: Caller, sequence: UInt64, _ shared: SharedServices) {
    self.stream = stream
    self.caller = caller
    self.sequence = sequence
    self.shared = shared
  }

  func complete(_ result: SubmissionResult) {
    if case .failed(let error) = result.outcome { shared.onStoreProblem(error) }
    let answer = Result { () throws(EnergyKitError) in
      try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: eventCount)
    }
    shared.eventCounters.count(answer, eventCount: eventCount)
    caller.budget.settle(answer, eventCount: eventCount, of: result.submission.receivedAt)
    switch answer {
    case .success(let receipt): self.answer = .accepted(SubmitLoadEventsResponse(receipt))
    case .failure(let error):
      let rejectedCount = LoadEventService.rejectedCount(
        of: result.outcome, of: result.submission, eventCount: eventCount)
      self.answer = .refused(BatchError(error, rejectedCount: rejectedCount))
      stream?.noteRefusal(error)
    }
    stream?.goOn()
  }
}
