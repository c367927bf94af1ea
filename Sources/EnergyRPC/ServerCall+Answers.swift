internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

extension ServerCall {
  func answer(_ response: some ResponseMessage) {
    send(response)
    finish(.ok)
  }

  /// - Parameter venueID: The venue that the call is about, named where permission to it is missing.
  func fail(_ error: EnergyKitError, venueID: UUID? = nil) {
    finish(Status(error, venueID: venueID, trailerLimit: trailerLimit))
  }

  func fail(_ error: WireError) { finish(Status(error, trailerLimit: trailerLimit)) }

  func fail(_ failure: AdminFailure) {
    switch failure {
    case .notFound(let resource): finish(.notFound(resource.reference))
    case .alreadyExists(let resource): finish(.alreadyExists(resource.reference))
    case .inUse(let resource): finish(.inUse(resource.reference))
    case .invalidRequest(let request): finish(Status(request, trailerLimit: trailerLimit))
    case .notServed(let what): finish(Status(.unimplemented, what))
    case .energyKit(let error): fail(error)
    }
  }

  /// Answers with what `body` makes, or fails as it fails; for calls that wait. Runs on the call's executor.
  func answer(_ body: @escaping () async throws(EnergyKitError) -> any ResponseMessage) {
    let work = LoopWork(call: self, body: body, fail: { call, error in call.fail(error) })
    Task.immediate(executorPreference: executor) { await work.run() }
  }

  /// The same where the body finds out which venue the call is about.
  func answer(_ body: @escaping () async throws(VenueRefusal) -> any ResponseMessage) {
    let work = LoopWork(
      call: self, body: body, fail: { call, refusal in call.fail(refusal.error, venueID: refusal.venueID) })
    Task.immediate(executorPreference: executor) { await work.run() }
  }

  /// The same for the operator's calls.
  func answer(_ body: @escaping () async throws(AdminFailure) -> any ResponseMessage) {
    let work = LoopWork(call: self, body: body, fail: { call, failure in call.fail(failure) })
    Task.immediate(executorPreference: executor) { await work.run() }
  }
}

/// An error, and the venue that it is about.
struct VenueRefusal: Error {
  let error: EnergyKitError
  let venueID: UUID?
}

extension AdminResource {
  fileprivate var reference: ResourceReference {
    switch self {
    case .client(let id): ResourceReference(type: "client", name: id)
    case .venue(let id): ResourceReference(type: "venue", name: id)
    case .device(let id): ResourceReference(type: "device", name: id)
    case .ratePlan(let id): ResourceReference(type: "rate plan", name: id)
    }
  }
}

/// Work that stays on the executor of its call, started there.
///
/// `@unchecked Sendable`: made on the executor and run by a task that prefers it; no field changes.
private struct LoopWork<Failure: Error>: @unchecked Sendable {
  let call: any ServerCall
  let body: () async throws(Failure) -> any ResponseMessage
  let fail: (any ServerCall, Failure) -> Void

  nonisolated(nonsending) func run() async {
    do throws(Failure) {
      call.answer(try await body())
    } catch {
      fail(call, error)
    }
  }
}
