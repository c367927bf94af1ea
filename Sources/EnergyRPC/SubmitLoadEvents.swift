internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC
internal import ProtobufWire
internal import Storage

/// `energykit.v1.LoadEventService/SubmitLoadEvents`: decode, hand to the service, answer after the commit.
struct SubmitLoadEvents {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    do throws(WireError) {
      var decoder = try LoadEventBatchDecoder(message, sessionRules: loop.shared.sessionRules)
      if try decoder.decodeSlice(of: message, arena: loop.arena) {
        submit(decoder.request, by: caller, for: call)
      } else {
        call.keptByteCount = message.count
        decodeRest(SlicedBatch(decoder: decoder, message: Array(message)), by: caller, for: call)
      }
    } catch {
      call.fail(error)
    }
  }

  /// One slice a turn, so that a large batch lets other calls of the loop through (docs/architecture.md, Limits).
  private func decodeRest(_ batch: SlicedBatch, by caller: Caller, for call: any ServerCall) {
    loop.executor.afterTurn {
      guard !call.hasEnded else { return }
      do throws(WireError) {
        if try batch.decodeSlice(arena: loop.arena) {
          call.keptByteCount = 0
          submit(batch.decoder.request, by: caller, for: call)
        } else {
          decodeRest(batch, by: caller, for: call)
        }
      } catch {
        call.fail(error)
      }
    }
  }

  private func submit(_ request: SubmitLoadEventsRequest, by caller: Caller, for call: any ServerCall) {
    switch loop.access.pass(clientID: caller.id, venueID: request.venueID) {
    case .hit(let pass): submit(request, at: pass, by: caller, for: call)
    case .absent, .miss:
      loop.withPass(to: request.venueID, of: caller, for: call) { pass in
        submit(request, at: pass, by: caller, for: call)
      }
    }
  }

  private func submit(
    _ request: SubmitLoadEventsRequest, at pass: VenuePass?, by caller: Caller, for call: any ServerCall
  ) {
    guard let caller = loop.current(caller, of: call) else { return }
    if request.eventCount > caller.budget.maximumBatchCount {
      return call.fail(.tooManyEvents(maximumCount: caller.budget.maximumBatchCount))
    }
    guard loop.needsDailyEvents(of: caller, at: pass) else {
      return hand(over: request, at: pass, by: caller, for: call, isOfDay: false)
    }
    loop.takeDailyEvents(request.eventCount, of: caller) { result in
      switch result {
      case .success: handOverOfDay(request, by: caller, for: call)
      case .failure(let error): call.fail(error, venueID: request.venueID)
      }
    }
  }

  /// The store was asked meanwhile: who calls and what they may do is looked up anew.
  private func handOverOfDay(_ request: SubmitLoadEventsRequest, by caller: Caller, for call: any ServerCall) {
    loop.findPass(to: request.venueID, of: caller) { result in
      guard let current = loop.current(caller, of: call) else {
        return loop.giveBackDailyEvents(request.eventCount, of: caller)
      }
      switch result {
      case .success(let pass): hand(over: request, at: pass, by: current, for: call, isOfDay: true)
      case .failure(let error):
        loop.giveBackDailyEvents(request.eventCount, of: caller)
        call.fail(error, venueID: request.venueID)
      }
    }
  }

  /// - Parameter isOfDay: Whether its events were taken of the caller's day.
  private func hand(
    over request: SubmitLoadEventsRequest, at pass: VenuePass?, by caller: Caller, for call: any ServerCall,
    isOfDay: Bool
  ) {
    do throws(EnergyKitError) {
      let ticket = CallTicket(
        call: call, caller: caller, eventCount: request.eventCount, counters: loop.shared.eventCounters,
        onStoreProblem: loop.shared.onStoreProblem)
      loop.mailbox.send(
        try loop.shared.loadEvents.submission(
          of: EventBatch(request), as: caller, at: pass, tokens: loop.tokens, mailbox: loop.mailbox, ticket: ticket))
      loop.shared.eventCounters.count(zeroed: request.zeroedEventCount)
    } catch {
      if isOfDay { loop.giveBackDailyEvents(request.eventCount, of: caller) }
      call.fail(error, venueID: request.venueID)
    }
  }
}

extension EventBatch {
  init(_ request: SubmitLoadEventsRequest) {
    self.init(
      loadEvents: request.loadEvents, statusEvents: request.statusEvents, faults: request.faults,
      faultCount: request.faultCount, malformedEvents: request.malformedEvents, eventCount: request.eventCount,
      refusedSessionIDs: request.refusedSessionIDs,
      allowsPartialSuccess: request.allowsPartialSuccess)
  }
}

extension ClientBudget {
  /// Gives back what was paid for events that were not stored.
  ///
  /// - Parameter time: When the batch came.
  func settle(_ answer: Result<SubmissionReceipt, EnergyKitError>, eventCount: Int, of time: Timestamp) {
    let unstored =
      switch answer {
      case .success(let receipt): eventCount - receipt.storedCount
      case .failure: eventCount
      }
    guard unstored > 0 else { return }
    giveBackEvents(unstored)
    daily?.giveBack(unstored, on: time.day)
  }
}

extension WireError {
  /// A batch that the client's budget could never pay for.
  static func tooManyEvents(maximumCount: Int) -> WireError {
    .invalid(InvalidRequest(field: "load_events", description: "a batch has at most \(maximumCount) events here"))
  }
}

extension EventCounters {
  /// Counts what became of a batch.
  ///
  /// - Parameter eventCount: Events in the request, well formed or not.
  func count(_ answer: Result<SubmissionReceipt, EnergyKitError>, eventCount: Int) {
    switch answer {
    case .success(let receipt):
      count(stored: receipt.storedCount, duplicate: receipt.duplicateCount, refused: receipt.rejectedCount)
    case .failure(.invalidLoadEvent): count(refused: eventCount)
    case .failure: count(failed: eventCount)
    }
  }
}

/// Answers the call that waits for a commit; used on the call's loop.
final class CallTicket: OutcomeTicket {
  let call: any ServerCall
  private let caller: Caller
  /// Events in the request, well formed or not.
  let eventCount: Int
  let counters: EventCounters
  let onStoreProblem: @Sendable (StoreError) -> Void

  init(
    call: any ServerCall, caller: Caller, eventCount: Int, counters: EventCounters,
    onStoreProblem: @escaping @Sendable (StoreError) -> Void
  ) {
    self.call = call
    self.caller = caller
    self.counters = counters
    self.eventCount = eventCount
    self.onStoreProblem = onStoreProblem
  }

  func complete(_ result: SubmissionResult) {
    if case .failed(let error) = result.outcome { onStoreProblem(error) }
    let answer = Result { () throws(EnergyKitError) in
      try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: eventCount)
    }
    counters.count(answer, eventCount: eventCount)
    caller.budget.settle(answer, eventCount: eventCount, of: result.submission.receivedAt)
    switch answer {
    case .success(let receipt): call.answer(SubmitLoadEventsResponse(receipt))
    case .failure(let error): call.fail(error)
    }
  }
}

extension SubmitLoadEventsResponse {
  init(_ receipt: SubmissionReceipt) {
    self.init(
      storedCount: receipt.storedCount, duplicateCount: receipt.duplicateCount, rejectedCount: receipt.rejectedCount,
      faults: receipt.faults)
  }
}

/// A batch that is decoded over several turns; keeps its own copy of the message, which is
/// counted as the call's.
final class SlicedBatch {
  var decoder: LoadEventBatchDecoder
  private let message: [UInt8]

  init(decoder: LoadEventBatchDecoder, message: [UInt8]) {
    self.decoder = decoder
    self.message = message
  }

  func decodeSlice(arena: DecodeArena) throws(WireError) -> Bool {
    try message.withUnsafeBufferPointer { bytes throws(WireError) -> Bool in
      try decoder.decodeSlice(of: UnsafeRawBufferPointer(bytes), arena: arena)
    }
  }
}
