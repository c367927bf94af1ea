import CEnergyProto
import CProtobufC
import EnergyModel
import EnergyWire
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `A response` {
  private let venueID = UUID(high: 0x6BA7_B810_9DAD_11D1, low: 0x80B4_00C0_4FD4_30C8)
  private let homeID = UUID(high: 0, low: 10)
  private let token = UUID(high: 0x0123_ABCD_4567_89EF, low: 0x0123_4567_89AB_CDEF)

  private func encoded(_ response: some ResponseMessage) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: response.byteCount) { buffer, count in
      count = response.byteCount
      response.write(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
    }
  }

  private var venues: [EnergyVenue] {
    let first = EnergyVenue(
      id: venueID, name: "Haus am Fluß", homeID: homeID, timeZone: "America/Los_Angeles", gridRegion: "CISO",
      ratePlanID: "pge-ev2a", incorporatesRatePlan: true, isRegionSupported: true, isLocationServicesDenied: false,
      createTime: Timestamp(seconds: 0))
    let second = EnergyVenue(
      id: homeID, name: "Zweites Haus", homeID: nil, timeZone: "Pacific/Honolulu", gridRegion: "", ratePlanID: nil,
      incorporatesRatePlan: true, isRegionSupported: false, isLocationServicesDenied: false,
      createTime: Timestamp(seconds: 0))
    return [first, second]
  }

  @Test func `with venues has Python's bytes`() {
    #expect(
      encoded(ListVenuesResponse(venues: venues, nextPageToken: nil)) == bytes(hex: Vectors.listVenuesResponse))
    #expect(encoded(GetVenueResponse(venue: venues[0])) == bytes(hex: Vectors.getVenueResponse))
  }

  @Test func `with venues says where to go on`() throws {
    let next = PageToken(name: "Zweites Haus", id: homeID)
    let message = encoded(ListVenuesResponse(venues: [], nextPageToken: next))
    #expect(message == WireBuilder { $0.text(2, next.text(in: .venues)) }.bytes)
    #expect(encoded(ListVenuesResponse(venues: [], nextPageToken: nil)).isEmpty)
  }

  @Test func `to load events has Python's bytes`() {
    let fault = LoadEventFault(
      position: .loadEvent(3), field: "hvac.stage_percent", reason: .outOfRange, description: "must be 0 to 100")
    let response = SubmitLoadEventsResponse(storedCount: 300, duplicateCount: 2, rejectedCount: 1, faults: [fault])
    #expect(encoded(response) == bytes(hex: Vectors.submitLoadEventsResponse))
    #expect(encoded(SubmitLoadEventsResponse(storedCount: 0, duplicateCount: 0)).isEmpty)
  }

  @Test func `to load events lists at most 1000 faults`() throws {
    let faults = (0..<1001).map {
      LoadEventFault(position: .loadEvent($0), field: "id", reason: .malformed, description: "is not a UUID")
    }
    let message = encoded(
      SubmitLoadEventsResponse(storedCount: 0, duplicateCount: 0, rejectedCount: 1001, faults: faults))
    let unpacked = try #require(
      energykit__v1__submit_load_events_response__unpack(nil, message.count, message))
    defer { energykit__v1__submit_load_events_response__free_unpacked(unpacked, nil) }
    #expect(unpacked.pointee.n_rejected == 1000)
    #expect(unpacked.pointee.rejected_count == 1001)
  }

  @Test func `to a published signal has Python's bytes`() {
    let response = PublishGridSignalResponse(storedCount: 3, isGuidanceChanged: true, subscribersNotified: 10_000)
    #expect(encoded(response) == bytes(hex: Vectors.publishGridSignalResponse))
  }

  // MARK: Guidance

  private func revision() throws -> GuidanceRevision {
    let start = Timestamp(seconds: 1_700_000_000)
    let first = Interval(start: start, milliseconds: 3_600_000)
    let second = Interval(start: first.end, milliseconds: 1_800_000)
    return GuidanceRevision(
      series: GuidanceSeries(gridRegion: "CISO", action: .shift, ratePlan: nil),
      issueTime: start.advanced(bySeconds: -7), number: 0,
      options: [.locationHasRatePlan, .guidanceIncorporatesRatePlan],
      values: [
        GuidanceValue(interval: first, rating: try #require(Rating(0.25))),
        GuidanceValue(interval: second, rating: try #require(Rating(0))),
      ], nextUpdateTime: start.advanced(byMilliseconds: 300_500),
      explanations: [
        RatingExplanation(
          carbonKind: .carbonAverage, carbonModel: "eia930", carbonIntensity: 210.5, referenceRank: 0,
          horizonRank: 0.5, horizonMateriality: 1, priceUSDPerKWh: 0.31, priceScore: 0.75, priceMateriality: 0.125,
          quality: .forecast, isGridEvent: true),
        RatingExplanation(quality: .climatology),
      ])
  }

  @Test func `with guidance is a prefix and a shared suffix, together Python's bytes`() throws {
    let suffix = GuidanceSuffix.encode(try revision())
    let prefix = GuidancePrefix(token: token, venueID: venueID)
    var message = [UInt8](repeating: 0, count: GuidancePrefix.byteCount(before: suffix.count))
    message.withUnsafeMutableBytes { prefix.write(before: suffix.count, into: $0) }
    #expect(message + suffix == bytes(hex: Vectors.streamGuidanceResponse))
  }

  @Test(arguments: [0, 1, 50, 51, 52, 1500, 16_306, 16_307, 16_308, 100_000])
  func `has a prefix whose size depends on the suffix's alone`(suffixByteCount: Int) throws {
    let prefix = GuidancePrefix(token: token, venueID: venueID)
    var message = [UInt8](repeating: 0, count: GuidancePrefix.byteCount(before: suffixByteCount))
    message.withUnsafeMutableBytes { prefix.write(before: suffixByteCount, into: $0) }
    // An unknown field of the wanted length, 126 bytes at least with its own head, or nothing.
    let expected = WireBuilder {
      $0.varint(1 << 3 | 2)
      $0.varint(UInt64(76 + suffixByteCount))
      $0.text(1, token.text)
      $0.text(2, venueID.text)
    }.bytes
    #expect(message == expected)
  }

  @Test func `with guidance and its reasons has Python's bytes`() throws {
    let revision = try revision()
    let guidance = GetGuidanceResponse.Guidance(
      token: token, venueID: venueID, suffix: GuidanceSuffix.encode(revision),
      explanations: GuidanceExplanations.encode(revision))
    #expect(encoded(GetGuidanceResponse(guidance)) == bytes(hex: Vectors.getGuidanceResponse))
    #expect(encoded(GetGuidanceResponse(nil)).isEmpty)
  }

  @Test func `with guidance is read by protobuf-c as it was meant`() throws {
    let message = encoded(
      GetGuidanceResponse(
        .init(token: token, venueID: venueID, suffix: GuidanceSuffix.encode(try revision()))))
    let unpacked = try #require(energykit__v1__stream_guidance_response__unpack(nil, message.count, message))
    defer { energykit__v1__stream_guidance_response__free_unpacked(unpacked, nil) }
    let guidance = try #require(unpacked.pointee.guidance).pointee
    #expect(String(cString: guidance.guidance_token) == token.text)
    #expect(String(cString: guidance.venue_id) == venueID.text)
    #expect(String(cString: guidance.grid_region) == "CISO")
    #expect(guidance.n_options == 2 && guidance.n_values == 2)
    #expect(guidance.values[0]?.pointee.rating == 0.25)
    #expect(guidance.interval.pointee.end.pointee.seconds == 1_700_005_400)
    #expect(guidance.next_update_time.pointee.nanos == 500_000_000)
    #expect(guidance.base.n_unknown_fields == 0)
  }
}
