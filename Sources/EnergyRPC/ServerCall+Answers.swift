internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

extension ServerCall {
  /// Who calls. Admission lets only clients through to the services that ask for one; should that ever fail, the call
  /// ends as any without a valid key does, and `nil` is returned.
  var clientCaller: Caller? {
    if let caller = caller as? Caller { return caller }
    finish(.unauthenticated)
    return nil
  }

  func answer(_ response: some ResponseMessage) {
    send(response)
    finish(.ok)
  }

  /// - Parameter venueID: The venue that the call is about, named where permission to it is missing.
  func fail(_ error: EnergyKitError, venueID: UUID? = nil) {
    finish(Status(error, venueID: venueID, trailerLimit: trailerLimit))
  }

  func fail(_ error: WireError) { finish(Status(error, trailerLimit: trailerLimit)) }

  /// Answers with what `body` makes, or fails as it fails; for calls that wait. Runs on the call's executor.
  func answer(_ body: @escaping () async throws(EnergyKitError) -> any ResponseMessage) {
    let work = LoopWork(call: self, body: body)
    Task.immediate(executorPreference: executor) { await work.run() }
  }
}

/// Work that stays on the executor of its call, started there.
///
/// `@unchecked Sendable`: made on the executor and run by a task that prefers it; neither field changes.
private struct LoopWork: @unchecked Sendable {
  let call: any ServerCall
  let body: () async throws(EnergyKitError) -> any ResponseMessage

  nonisolated(nonsending) func run() async {
    do {
      call.answer(try await body())
    } catch {
      call.fail(error)
    }
  }
}
