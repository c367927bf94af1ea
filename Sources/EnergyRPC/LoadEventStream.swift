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
/// Some may wait for their commit at once; above that the stream's window stays closed (docs/architecture.md, Limits).
///
/// `@unchecked Sendable`: used on the call's loop only.
final class LoadEventStream: RequestConsumer, CallObserver, @unchecked Sendable {
  /// Batches of a stream that may wait for their commit, and events in them (one batch may have more).
  static let maximumBatchCount = 32
  static let maximumEventCount = 10_000

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
    if loop.access.isCurrent(standing.caller) {
      take(message, from: standing.caller)
    } else {
      takeLater(Array(message), from: standing)
    }
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

  /// Something about the client has changed: the batch waits until it is known what.
  private func takeLater(_ message: [UInt8], from standing: StandingEventStream) {
    isBusy = true
    call.keptByteCount = message.count
    loop.access.fetchCaller(standing.caller.credential) { [self] result in
      guard !call.hasEnded else { return }
      call.keptByteCount = 0
      do throws(EnergyKitError) {
        guard let caller = try result.get() else { return call.finish(.unauthenticated) }
        try caller.require(.energyKit)
        standing.caller = caller
        isBusy = false
        message.withUnsafeBytes { take($0, from: caller) }
        goOn()
      } catch {
        call.fail(error)
      }
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
        submit(decoder.request, as: batch, from: caller)
      } else {
        call.keptByteCount = message.count
        decodeRest(of: SlicedBatch(decoder: decoder, message: Array(message)), as: batch, from: caller)
      }
    } catch {
      refuse(batch, error)
    }
  }

  /// One slice a turn, so that a large batch lets other calls of the loop through (docs/architecture.md, Limits).
  private func decodeRest(of sliced: SlicedBatch, as batch: StreamedBatch, from caller: Caller) {
    loop.executor.afterTurn { [self] in
      guard !call.hasEnded else { return }
      do throws(WireError) {
        if try sliced.decodeSlice(arena: loop.arena) {
          call.keptByteCount = 0
          submit(sliced.decoder.request, as: batch, from: caller)
        } else {
          decodeRest(of: sliced, as: batch, from: caller)
        }
      } catch {
        call.keptByteCount = 0
        refuse(batch, error)
      }
    }
  }

  private func submit(_ request: SubmitLoadEventsRequest, as batch: StreamedBatch, from caller: Caller) {
    batch.eventCount = request.eventCount
    waitingEventCount += request.eventCount
    switch loop.access.pass(clientID: caller.id, venueID: request.venueID) {
    case .hit(let pass): submit(request, at: pass, as: batch, from: caller)
    case .absent: submit(request, at: nil, as: batch, from: caller)
    case .miss:
      loop.access.fetchPass(clientID: caller.id, venueID: request.venueID) { [self] result in
        switch result {
        case .success(let pass): submit(request, at: pass, as: batch, from: caller)
        case .failure(let error): settle(batch, .refused(BatchError(error)))
        }
      }
    }
  }

  private func submit(
    _ request: SubmitLoadEventsRequest, at pass: VenuePass?, as batch: StreamedBatch, from caller: Caller
  ) {
    guard !call.hasEnded else { return }
    if request.eventCount > caller.budget.maximumBatchCount {
      return refuse(batch, .tooManyEvents(maximumCount: caller.budget.maximumBatchCount))
    }
    guard caller.budget.daily != nil else { return hand(over: request, at: pass, as: batch, from: caller) }
    loop.withDailyEvents(request.eventCount, of: caller, at: pass) { [self] result in
      switch result {
      case .success: hand(over: request, at: pass, as: batch, from: caller)
      case .failure(let error): settle(batch, .refused(BatchError(error, rejectedCount: request.eventCount)))
      }
    }
  }

  private func hand(
    over request: SubmitLoadEventsRequest, at pass: VenuePass?, as batch: StreamedBatch, from caller: Caller
  ) {
    do throws(EnergyKitError) {
      let submission = try loop.shared.loadEvents.submission(
        of: EventBatch(request), as: caller, at: pass, tokens: loop.tokens, mailbox: loop.mailbox, ticket: batch)
      loop.mailbox.send(submission)
      loop.shared.eventCounters.count(zeroed: request.zeroedEventCount)
      isBusy = false
      goOn()
    } catch {
      if pass?.access == .granted { caller.budget.daily?.giveBack(request.eventCount, on: loop.shared.clock.now.day) }
      settle(batch, .refused(BatchError(error, rejectedCount: request.eventCount)))
    }
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
    }
    stream?.goOn()
  }
}
