import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC
import Testing

@Suite struct `The failure of a call` {
  private static let venueID = UUID(high: 1, low: 2)
  private static let errors: [EnergyKitError] = [
    .permissionDenied(.entitlement(.loadEventsExperience)), .permissionDenied(.venue), .venueUnavailable,
    .locationServicesDenied, .unsupportedRegion(region: "HECO"), .guidanceUnavailable(retryAfterSeconds: 17),
    .serviceUnavailable(retryAfterSeconds: 2), .rateLimitExceeded(retryAfterSeconds: 3), .inProgress,
  ]

  // G-074
  @Test(arguments: errors) func `is the server's error again`(error: EnergyKitError) {
    let status = Status(error, venueID: Self.venueID)
    let failure = CallFailure(status)
    #expect(failure.energyKitError == error)
    #expect(failure.code == status.code && failure.message == status.message)
  }

  @Test func `of load events has their faults and the server's time`() throws {
    let fault = LoadEventFault(
      position: .loadEvent(3), field: "timestamp", reason: .timestampOutOfRange, description: "too old")
    let time = Timestamp(milliseconds: 1_700_000_000_005)
    let failure = CallFailure(
      Status(.invalidLoadEvent(InvalidLoadEvents(faults: [fault], faultCount: 700, serverTime: time))))
    #expect(failure.violations.map(\.field) == ["load_events[3].timestamp"])
    #expect(failure.violations.map(\.reason) == ["TIMESTAMP_OUT_OF_RANGE"])
    guard case .invalidLoadEvent(let invalid) = failure.energyKitError else {
      Issue.record("not the error: \(String(describing: failure.energyKitError))")
      return
    }
    #expect(invalid.faultCount == 700 && invalid.serverTime == time)
    #expect(invalid.faults.map(\.path) == ["load_events[3].timestamp"])
    #expect(invalid.faults.map(\.description) == ["too old"])
  }

  @Test func `of an administrative call names what it is about`() {
    let failure = CallFailure(Status.notFound(ResourceReference(type: "venue", name: "x")))
    #expect(failure.reason == "NOT_FOUND" && failure.resource == ResourceReference(type: "venue", name: "x"))
    #expect(failure.energyKitError == nil)
  }

  @Test func `without details, or with broken ones, keeps code and message`() {
    let details = Status(.venueUnavailable).details
    for cut in 0..<details.count {
      let failure = CallFailure(Status(.notFound, "gone", details: Array(details[..<cut])))
      #expect(failure.code == .notFound && failure.message == "gone")
    }
    #expect(CallFailure(Status(.unavailable, "no")).energyKitError == nil)
  }
}
