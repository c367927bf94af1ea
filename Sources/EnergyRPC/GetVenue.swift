internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.EnergyVenueService/GetVenue`.
struct GetVenue {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    let request: GetVenueRequest
    do {
      request = try GetVenueRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let venues = loop.shared.venues
    switch request.key {
    case .venueID(let id):
      loop.withPass(to: id, of: caller, for: call) { pass in
        do throws(EnergyKitError) {
          call.answer(GetVenueResponse(venue: try venues.venue(pass, as: caller)))
        } catch {
          call.fail(error, venueID: id)
        }
      }
    case .homeID(let id):
      call.answer { () async throws(VenueRefusal) in
        var found: VenuePass?
        do throws(EnergyKitError) {
          found = try await venues.pass(homeID: id, as: caller)
          return GetVenueResponse(venue: try venues.venue(found, as: caller))
        } catch {
          throw VenueRefusal(error: error, venueID: found?.venue.id)
        }
      }
    }
  }
}
