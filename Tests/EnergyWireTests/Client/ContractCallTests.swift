import CEnergyProto
import EnergyModel
import EnergyWire
import FoundationEssentials
import ProtobufWire
import TestSupport
import Testing

@Suite struct `A call of the contract` {
  private let venueID = UUID(high: 0x6BA7_B810_9DAD_11D1, low: 0x80B4_00C0_4FD4_30C8)
  private let homeID = UUID(high: 0, low: 10)
  private let token = UUID(high: 0x0123_ABCD_4567_89EF, low: 0x0123_4567_89AB_CDEF)

  /// What the server reads of a request.
  private func served<Value>(
    _ call: some ContractCall, _ read: (UnsafeRawBufferPointer, DecodeArena) throws -> Value
  ) throws -> Value {
    try call.requestBytes.withUnsafeBytes { try read($0, DecodeArena()) }
  }

  private func encoded(_ response: some ResponseMessage) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: response.byteCount) { buffer, count in
      count = response.byteCount
      response.write(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
    }
  }

  private var venue: EnergyVenue {
    EnergyVenue(
      id: venueID, name: "Haus am Fluß", homeID: homeID, timeZone: "America/Los_Angeles", gridRegion: "CISO",
      ratePlanID: "pge-ev2a", incorporatesRatePlan: true, isRegionSupported: true, isLocationServicesDenied: false,
      createTime: Timestamp(seconds: 0))
  }

  // MARK: Requests

  @Test func `for venues is read by the server as it was meant`() throws {
    let list = try served(Contract.ListVenues(pageSize: 17)) { try ListVenuesRequest(decoding: $0, arena: $1) }
    #expect(list.pageSize == 17 && list.pageToken == nil)
    let next = PageToken(name: "a", id: homeID)
    let further = try served(Contract.ListVenues(pageToken: next.text(in: .venues))) {
      try ListVenuesRequest(decoding: $0, arena: $1)
    }
    #expect(further.pageToken == next)
    let byID = try served(Contract.GetVenue(.venueID(venueID))) { try GetVenueRequest(decoding: $0, arena: $1) }
    #expect(byID.key == .venueID(venueID))
    let byHome = try served(Contract.GetVenue(.homeID(homeID))) { try GetVenueRequest(decoding: $0, arena: $1) }
    #expect(byHome.key == .homeID(homeID))
  }

  @Test func `for guidance is read by the server as it was meant`() throws {
    let get = Contract.GetGuidance(venueID: venueID, action: .reduce, explains: true, knownToken: token)
    let read = try served(get) { try GetGuidanceRequest(decoding: $0, arena: $1) }
    #expect(read.venueID == venueID && read.action == .reduce && read.explain && read.knownToken == token)
    let stream = Contract.StreamGuidance(venueID: venueID, action: .shift, knownToken: token)
    let streamed = try served(stream) { try StreamGuidanceRequest(decoding: $0, arena: $1) }
    #expect(streamed.venueID == venueID && streamed.action == .shift && streamed.knownToken == token)
  }

  @Test func `for a plan has the fields of its message`() throws {
    let window = try #require(Interval(start: Timestamp(seconds: 100), end: Timestamp(milliseconds: 200_500)))
    let call = Contract.PlanLoad(
      venueID: venueID, action: .shift, window: window, durationSeconds: 7200, isContiguous: true)
    let expected = WireBuilder {
      $0.text(1, venueID.text)
      $0.number(2, 1)
      $0.message(3) {
        $0.message(1) { $0.number(1, 100) }
        $0.message(2) {
          $0.number(1, 200)
          $0.number(2, 500_000_000)
        }
      }
      $0.message(4) { $0.number(1, 7200) }
      $0.number(5, 1)
    }
    #expect(call.requestBytes == expected.bytes)
    let read = try served(call) { try PlanLoadRequest(decoding: $0, arena: $1) }
    #expect(read.venueID == venueID && read.action == .shift && read.isContiguous)
    #expect(read.window == window && read.milliseconds == 7_200_000)
  }

  @Test func `that changes a client says what stays`() {
    let nothing = Contract.UpdateClient(clientID: venueID)
    #expect(nothing.requestBytes == WireBuilder { $0.text(1, venueID.text) }.bytes)
    let all = Contract.UpdateClient(
      clientID: venueID, name: "", entitlements: [.loadEventsExperience, .energyKit], isDisabled: false)
    let expected = WireBuilder {
      $0.text(1, venueID.text)
      $0.message(2) { _ in }
      $0.number(3, 1)
      $0.data(4, [1, 2])
      $0.message(5) { _ in }
    }
    #expect(all.requestBytes == expected.bytes)
  }

  @Test func `that changes a venue says what stays`() {
    var call = Contract.UpdateVenue(venueID: venueID)
    #expect(call.requestBytes == WireBuilder { $0.text(1, venueID.text) }.bytes)
    call.ratePlanID = ""
    call.incorporatesRatePlan = true
    let expected = WireBuilder {
      $0.text(1, venueID.text)
      $0.message(8) { $0.number(1, 1) }
      $0.message(9) { _ in }
    }
    #expect(call.requestBytes == expected.bytes)
  }

  // MARK: Answers

  @Test func `reads venues as the server writes them`() throws {
    let next = PageToken(name: "Haus am Fluß", id: venueID)
    let page = try Contract.ListVenues.answer(
      decoding: encoded(ListVenuesResponse(venues: [venue, venue], nextPageToken: next)))
    #expect(page.nextPageToken == next.text(in: .venues))
    #expect(page.items.count == 2)
    let first = try #require(page.items.first)
    #expect(first.id == venueID && first.name == "Haus am Fluß" && first.homeID == homeID)
    #expect(first.timeZone == "America/Los_Angeles" && first.gridRegion == "CISO" && first.hasRatePlan)
    #expect(try Contract.GetVenue.answer(decoding: encoded(GetVenueResponse(venue: venue))) == first)
    #expect(try Contract.ListVenues.answer(decoding: []).items.isEmpty)
  }

  private var revision: GuidanceRevision {
    get throws {
      let values = try (0..<48).map { hour in
        GuidanceValue(
          interval: Interval(start: Timestamp(seconds: 3600 * Int64(hour)), milliseconds: 3_600_000),
          rating: try #require(Rating(Double(hour) / 47)))
      }
      let explanation = RatingExplanation(
        carbonKind: .carbonAverage, carbonModel: "model", carbonIntensity: 250.5, referenceRank: 0, quality: .forecast)
      return GuidanceRevision(
        series: GuidanceSeries(gridRegion: "CISO", action: .shift, ratePlan: nil), issueTime: Timestamp(seconds: 5),
        number: 3, options: [.locationHasRatePlan], values: values, nextUpdateTime: Timestamp(seconds: 3600),
        explanations: Array(repeating: explanation, count: values.count))
    }
  }

  @Test func `reads guidance as the server writes it`() throws {
    let revision = try revision
    let response = GetGuidanceResponse(
      .init(
        token: token, venueID: venueID, suffix: GuidanceSuffix.encode(revision),
        explanations: GuidanceExplanations.encode(revision)))
    let answer = try Contract.GetGuidance.answer(decoding: encoded(response))
    let guidance = try #require(answer.guidance)
    #expect(guidance.token == token && guidance.venueID == venueID && guidance.action == .shift)
    #expect(guidance.values == revision.values && guidance.options == revision.options)
    #expect(guidance.issueTime == revision.issueTime && guidance.nextUpdateTime == revision.nextUpdateTime)
    #expect(guidance.gridRegion == "CISO")
    #expect(answer.explanations == revision.explanations)
    #expect(try Contract.GetGuidance.answer(decoding: encoded(GetGuidanceResponse(nil))).guidance == nil)
    // The same message without explanations is what a stream sends.
    let streamed = GetGuidanceResponse(
      .init(token: token, venueID: venueID, suffix: GuidanceSuffix.encode(revision)))
    #expect(try Contract.StreamGuidance.answer(decoding: encoded(streamed)) == guidance)
  }

  @Test func `reads what became of load events`() throws {
    let fault = LoadEventFault(
      position: .loadEvent(3), field: "hvac.stage_percent", reason: .outOfRange, description: "must be 0 to 100")
    let result = try Contract.SubmitLoadEvents.answer(
      decoding: encoded(
        SubmitLoadEventsResponse(storedCount: 300, duplicateCount: 2, rejectedCount: 1, faults: [fault])))
    #expect(result.storedCount == 300 && result.duplicateCount == 2 && result.rejectedCount == 1)
    let expected = Contract.Rejection(
      field: "load_events[3].hvac.stage_percent", reason: "OUT_OF_RANGE", description: "must be 0 to 100")
    #expect(result.rejected == [expected])
  }

  @Test func `reads a plan`() throws {
    let message = WireBuilder {
      $0.text(1, token.text)
      $0.message(2) {
        $0.message(1) { $0.number(1, 10) }
        $0.message(2) { $0.number(1, 20) }
      }
      $0.double(3, 0.25)
      $0.message(4) { $0.double(1, 0.5) }
      $0.number(5, 1)
    }
    let plan = try Contract.PlanLoad.answer(decoding: message.bytes)
    #expect(plan.token == token && plan.coversWindow)
    #expect(plan.intervals == [Interval(start: Timestamp(seconds: 10), milliseconds: 10_000)])
    #expect(plan.meanRating.value == 0.25 && plan.immediateMeanRating?.value == 0.5)
  }

  @Test func `reads clients and venue settings`() throws {
    let client = WireBuilder {
      $0.message(1) {
        $0.text(1, homeID.text)
        $0.text(2, "hub")
        $0.data(3, [1, 9])
        $0.message(4) { $0.number(1, 77) }
        $0.number(5, 1)
      }
      $0.text(2, "ek_new")
    }
    let created = try Contract.CreateClient.answer(decoding: client.bytes)
    #expect(created.apiKey == "ek_new")
    // An entitlement that is not known here is left out.
    #expect(
      created.client
        == Client(
          id: homeID, name: "hub", entitlements: [.energyKit], isDisabled: true, createTime: Timestamp(seconds: 77)))
    let settings = WireBuilder {
      $0.message(1) {
        $0.message(1) { $0.text(1, venueID.text) }
        $0.message(2) {
          $0.double(1, 37.77)
          $0.double(2, -122.42)
        }
        $0.number(3, 1)
      }
    }
    let read = try Contract.GetVenueSettings.answer(decoding: settings.bytes)
    #expect(read.location == Contract.Place(latitude: 37.77, longitude: -122.42))
    #expect(read.isRegionSupported && !read.isLocationServicesDenied && read.createTime == nil)
  }

  // MARK: Load events

  @Test func `carries load events that the server reads as they were`() throws {
    let device = try #require(DeviceID("car-1"))
    let percent = try #require(Percent(40))
    let energy = try #require(Energy(milliwattHours: 5))
    let power = try #require(Power(milliwatts: 7_200_000))
    let performance = VehiclePerformance(estimatedRangeMeters: 0, batteryTemperatureCelsius: -2.25)
    let vehicle = LoadEvent(
      id: venueID, timestamp: Timestamp(milliseconds: 1_700_000_000_123), sessionID: homeID, sessionState: .active,
      wasFollowingGuidance: true, guidanceToken: token, device: DeviceIdentity(id: device, name: "Auto"),
      measurement: .electricVehicle(
        .init(stateOfCharge: percent, direction: .exported, power: power, energy: energy, performance: performance)))
    let heating = LoadEvent(
      id: homeID, timestamp: Timestamp(seconds: 1_700_000_000), sessionID: homeID, sessionState: .begin,
      wasFollowingGuidance: false, guidanceToken: token, device: DeviceIdentity(id: device, name: nil),
      measurement: .hvac(HVACMeasurement(stage: .zero)))
    let statuses = [ElectricVehicleStatusEvent.Status.chargerPluggedIn, .chargingActive(reason: 0), .chargerUnplugged]
      .enumerated().map { index, status in
        ElectricVehicleStatusEvent(
          id: UUID(high: 9, low: UInt64(index)), timestamp: Timestamp(seconds: 1_700_000_000),
          device: ElectricalLoadDevice(id: device, name: "Auto", type: .electricVehicle), status: status,
          stateOfCharge: percent, batteryEnergy: energy, estimatedRangeMeters: 1000,
          chargingTarget: ChargingTarget(
            stateOfCharge: percent, estimatedCompletionTime: Timestamp(seconds: 1_700_000_001),
            scheduledStartTime: nil, estimatedRangeAtTargetMeters: 5),
          sessionID: homeID)
      }
    let call = Contract.SubmitLoadEvents(
      venueID: venueID,
      events: [.init(vehicle), .init(statuses[0]), .init(heating), .init(statuses[1]), .init(statuses[2])],
      allowsPartialSuccess: true)
    let request = try served(call) { bytes, arena in
      var decoder = try LoadEventBatchDecoder(bytes, sessionRules: .strict)
      while try !decoder.decodeSlice(of: bytes, arena: arena) {}
      return decoder.request
    }
    #expect(request.faults.isEmpty)
    #expect(request.loadEvents.map(\.event) == [vehicle, heating])
    #expect(request.statusEvents.map(\.event) == statuses)
    #expect(request.allowsPartialSuccess)
  }
}
