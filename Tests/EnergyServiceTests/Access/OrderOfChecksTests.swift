import EnergyModel
import FoundationEssentials
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

/// What is asked of the services about a venue.
private enum Question: CaseIterable {
  case venue
  case guidance
  case events
}

private enum VenueKind: CaseIterable {
  case granted
  case restricted
  case denied
  case absent
  case withoutLocation
  case abroad

  var pass: VenuePass? {
    let venue =
      switch self {
      case .granted, .restricted, .denied, .absent: makeVenue()
      case .withoutLocation: makeVenue(isSupported: false, isLocationDenied: true)
      case .abroad: makeVenue(region: "HECO", isSupported: false)
      }
    let access: VenueAccess =
      switch self {
      case .restricted: .restricted
      case .denied: .denied
      case .granted, .absent, .withoutLocation, .abroad: .granted
      }
    return self == .absent ? nil : VenuePass(VenueGrant(venue: venue, access: access), clientID: UUID())
  }

  /// What a caller with the entitlement hears, `nil` for an answer.
  func refusal(of question: Question) -> EnergyKitError? {
    switch (self, question) {
    case (.denied, _): .permissionDenied(.venue)
    case (.absent, _): .venueUnavailable
    case (.withoutLocation, .guidance): .locationServicesDenied
    case (.abroad, .guidance): .unsupportedRegion(region: "HECO")
    case (.restricted, .events):
      .invalidLoadEvent(
        InvalidLoadEvents(
          faults: [
            LoadEventFault(
              position: nil, field: "venue_id", reason: .restricted,
              description: "a restricted guest of the home may not submit events")
          ], faultCount: 1, serverTime: .noon))
    case (.granted, _), (.restricted, .venue), (.restricted, .guidance), (.withoutLocation, .venue),
      (.withoutLocation, .events), (.abroad, .venue), (.abroad, .events):
      nil
    }
  }
}

@Suite struct `The order of checks` {
  private func ask(_ question: Question, _ pass: VenuePass?, as caller: Caller) async throws -> EnergyKitError? {
    let store = InMemoryStore()
    let clock = ManualClock().service
    let codec = try GuidanceTokenCodec(GuidanceTokenKeys([makeMasterKey(1)]))
    let guidance = try await GuidanceService.start(store: store, clock: clock, source: nil)
    let nobody = Nobody()
    do throws(EnergyKitError) {
      switch question {
      case .venue: _ = try VenueService(store: store).venue(pass, as: caller)
      case .guidance: _ = try guidance.series(at: pass, action: .shift, as: caller)
      case .events:
        _ = try LoadEventService(store: store, clock: clock).submission(
          of: EventBatch(), as: caller, at: pass, tokens: codec, mailbox: nobody, ticket: nobody)
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: Question.allCases, VenueKind.allCases)
  private func `is the same for every method`(question: Question, kind: VenueKind) async throws {
    let entitled = Caller(makeClient("hub", [.energyKit]))
    #expect(try await ask(question, kind.pass, as: entitled) == kind.refusal(of: question))
    for entitlements in [[], [.loadEventsExperience]] as [Set<Entitlement>] {
      let caller = Caller(makeClient("hub", entitlements))
      #expect(try await ask(question, kind.pass, as: caller) == .permissionDenied(.entitlement(.energyKit)))
    }
  }
}

/// Whom outcomes go to that nobody asks for.
private final class Nobody: SubmissionMailbox {
  func deliver(_ results: [SubmissionResult]) {}
}
