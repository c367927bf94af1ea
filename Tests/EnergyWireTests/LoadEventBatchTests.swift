import EnergyModel
import EnergyWire
import FoundationEssentials
import ProtobufWire
import TestSupport
import Testing

@Suite struct `A batch of load events` {
  @Test func `decodes as Python wrote it`() throws {
    let request = try decode(bytes(hex: Vectors.vehicleBatch))
    #expect(request.venueID.text == sampleVenue)
    #expect(!request.allowsPartialSuccess)
    #expect(request.faults.isEmpty)
    #expect(request.eventCount == 10)
    #expect(request.loadEvents.map(\.index) == Array(0..<10))
    let event = try #require(request.loadEvents.last?.event)
    #expect(event.id.text == "e0000000-0000-4000-8000-000000000009")
    #expect(event.timestamp == Timestamp(milliseconds: 1_700_008_100_123))
    #expect(event.sessionID.text == "11111111-2222-3333-4444-555555555555")
    #expect(event.sessionState == .end)
    #expect(event.wasFollowingGuidance)
    #expect(event.guidanceToken.text == "0123abcd-4567-89ef-0123-456789abcdef")
    #expect(event.device.id.text == "Garage charger 1")
    #expect(event.device.name == nil)
    let measurement = try #require(electricVehicle(event))
    #expect(measurement.stateOfCharge.value == 49)
    #expect(measurement.direction == .imported)
    #expect(measurement.power == .zero)
    #expect(measurement.energy.milliwattHours == 16_200_000)
    #expect(measurement.performance == nil)
  }

  @Test func `holds devices, HVAC and status events side by side`() throws {
    let request = try decode(bytes(hex: Vectors.mixedBatch))
    #expect(request.allowsPartialSuccess)
    #expect(request.faults == [])
    let car = request.loadEvents[0].event
    #expect(car.device.name == "Ünal's car blue")
    #expect(
      electricVehicle(car)?.performance
        == VehiclePerformance(estimatedRangeMeters: 250_000.5, batteryTemperatureCelsius: -3.5))
    let hvac = request.loadEvents[1].event
    #expect(hvac.sessionID.text == "11111111-2222-3333-4444-555555555555")
    #expect(hvac.device.name == "hvac")
    #expect(!hvac.wasFollowingGuidance)
    #expect(hvac.measurement == .hvac(HVACMeasurement(stage: try #require(Percent(50)))))
    let plugged = request.statusEvents[0].event
    #expect(plugged.status == .chargerPluggedIn)
    #expect(plugged.timestamp == Timestamp(milliseconds: 1_699_999_999_000))
    #expect(plugged.batteryEnergy.milliwattHours == 9_000_000)
    #expect(plugged.sessionID == nil && plugged.chargingTarget == nil && plugged.estimatedRangeMeters == nil)
    let idle = request.statusEvents[1].event
    #expect(idle.status == .chargingIdle(reason: 12))
    #expect(idle.timestamp == Timestamp(milliseconds: -1))
    #expect(idle.estimatedRangeMeters == 0)
    #expect(idle.sessionID == car.sessionID)
    #expect(idle.chargingTarget?.estimatedCompletionTime == Timestamp(seconds: 1_700_000_060))
    #expect(idle.chargingTarget?.scheduledStartTime == nil)
    #expect(idle.chargingTarget?.estimatedRangeAtTargetMeters == 300_000)
    #expect(idle.device == plugged.device)
  }

  static let faultyEvents: [(String, SampleEvent, [String])] = {
    let good = SampleEvent()
    let device: (id: [UInt8], name: [UInt8], type: Int64) = (Array("car-1".utf8), Array("Car".utf8), 1)
    return [
      ("no id", good.with { $0.id = nil }, ["load_events[0].id MALFORMED"]),
      ("id is no UUID", good.with { $0.id = "e1" }, ["load_events[0].id MALFORMED"]),
      ("NUL behind id", good.with { $0.id?.append("\0x") }, ["load_events[0].id MALFORMED"]),
      ("no time", good.with { $0.timestamp = nil }, ["load_events[0].timestamp MALFORMED"]),
      ("time too late", good.with { $0.timestamp = (253_402_300_800, 0) }, ["load_events[0].timestamp MALFORMED"]),
      ("time too early", good.with { $0.timestamp = (.min, 0) }, ["load_events[0].timestamp MALFORMED"]),
      ("nanos too many", good.with { $0.timestamp = (0, 1_000_000_000) }, ["load_events[0].timestamp MALFORMED"]),
      ("nanos negative", good.with { $0.timestamp = (0, -1) }, ["load_events[0].timestamp MALFORMED"]),
      ("session is no UUID", good.with { $0.sessionID = "" }, ["load_events[0].session_id MALFORMED"]),
      ("no state", good.with { $0.state = 0 }, ["load_events[0].session_state MALFORMED"]),
      ("unknown state", good.with { $0.state = 4 }, ["load_events[0].session_state MALFORMED"]),
      ("negative state", good.with { $0.state = -1 }, ["load_events[0].session_state MALFORMED"]),
      ("no token", good.with { $0.token = nil }, ["load_events[0].guidance_token UNKNOWN_GUIDANCE_TOKEN"]),
      ("token is no UUID", good.with { $0.token = "x" }, ["load_events[0].guidance_token UNKNOWN_GUIDANCE_TOKEN"]),
      ("no identity", good.with { $0.deviceID = nil }, ["load_events[0].identity MALFORMED"]),
      ("empty device id", good.with { $0.deviceID = [] }, ["load_events[0].device_id INVALID_DEVICE"]),
      ("NUL in device id", good.with { $0.deviceID = [97, 0, 98] }, ["load_events[0].device_id INVALID_DEVICE"]),
      (
        "space at the end of the device id", good.with { $0.deviceID = Array("car ".utf8) },
        ["load_events[0].device_id INVALID_DEVICE"]
      ),
      (
        "device without id",
        good.with {
          $0.device = ([], [], 1)
          $0.deviceID = nil
        }, ["load_events[0].device.id INVALID_DEVICE"]
      ),
      (
        "device without type",
        good.with {
          $0.device = (device.id, device.name, 0)
          $0.deviceID = nil
        }, ["load_events[0].device.type MALFORMED"]
      ),
      (
        "vehicle's energy of an HVAC device",
        good.with {
          $0.device = (device.id, device.name, 2)
          $0.deviceID = nil
        }, ["load_events[0].device.type INVALID_DEVICE"]
      ),
      (
        "stage of a vehicle",
        good.with {
          $0.device = device
          $0.deviceID = nil
          $0.vehicle = nil
          $0.stage = 5
        }, ["load_events[0].device.type INVALID_DEVICE"]
      ),
      (
        "a stage of a vehicle, out of range",
        good.with {
          $0.device = device
          $0.deviceID = nil
          $0.vehicle = nil
          $0.stage = 500
        }, ["load_events[0].hvac.stage_percent OUT_OF_RANGE", "load_events[0].device.type INVALID_DEVICE"]
      ),
      (
        "device without type and measurement",
        good.with {
          $0.device = (device.id, device.name, 0)
          $0.deviceID = nil
          $0.vehicle = nil
        }, ["load_events[0].measurement MALFORMED", "load_events[0].device.type MALFORMED"]
      ),
      ("no measurement", good.with { $0.vehicle = nil }, ["load_events[0].measurement MALFORMED"]),
      (
        "no direction", good.with { $0.vehicle = (50, 0, 1, 1) },
        ["load_events[0].electric_vehicle.direction MALFORMED"]
      ),
      (
        "everything out of range", good.with { $0.vehicle = (101, 2, 1_000_000_000_000, -1) },
        [
          "load_events[0].electric_vehicle.state_of_charge_percent OUT_OF_RANGE",
          "load_events[0].electric_vehicle.power_milliwatts OUT_OF_RANGE",
          "load_events[0].electric_vehicle.energy_milliwatt_hours OUT_OF_RANGE",
        ]
      ),
      (
        "infinite range", good.with { $0.range = .infinity },
        ["load_events[0].electric_vehicle.performance_metrics.estimated_range_meters OUT_OF_RANGE"]
      ),
      (
        "stage out of range",
        good.with {
          $0.vehicle = nil
          $0.stage = -1
        }, ["load_events[0].hvac.stage_percent OUT_OF_RANGE"]
      ),
      (
        "power and energy at begin", good.with { $0.state = 1 },
        [
          "load_events[0].electric_vehicle.power_milliwatts NONZERO_AT_BEGIN",
          "load_events[0].electric_vehicle.energy_milliwatt_hours NONZERO_AT_BEGIN",
        ]
      ),
      (
        "power at end", good.with { $0.state = 3 },
        ["load_events[0].electric_vehicle.power_milliwatts NONZERO_AT_END"]
      ),
      (
        "stage at end",
        good.with {
          $0.state = 3
          $0.vehicle = nil
          $0.stage = 1
        }, ["load_events[0].hvac.stage_percent NONZERO_AT_END"]
      ),
      (
        "nothing in it",
        SampleEvent(
          id: nil, timestamp: nil, sessionID: nil, state: 0, token: nil, deviceID: nil, device: nil, vehicle: nil),
        [
          "load_events[0].id MALFORMED", "load_events[0].timestamp MALFORMED",
          "load_events[0].session_id MALFORMED", "load_events[0].session_state MALFORMED",
          "load_events[0].guidance_token UNKNOWN_GUIDANCE_TOKEN", "load_events[0].identity MALFORMED",
          "load_events[0].measurement MALFORMED",
        ]
      ),
    ]
  }()

  @Test(arguments: faultyEvents)
  func `names every fault of an event`(name: String, event: SampleEvent, expected: [String]) throws {
    let request = try decode(batch([event.bytes, SampleEvent().bytes]))
    #expect(request.faults.map { "\($0.path) \($0.reason.rawValue)" } == expected)
    #expect(request.faultCount == expected.count)
    #expect(request.loadEvents.map(\.index) == [1])
    #expect(request.eventCount == 2)
  }

  static let faultyStatuses: [(String, SampleStatus, [String])] = {
    let good = SampleStatus()
    return [
      ("id", good.with { $0.id = "" }, ["vehicle_status_events[0].id MALFORMED"]),
      ("no time", good.with { $0.timestamp = nil }, ["vehicle_status_events[0].timestamp MALFORMED"]),
      ("no device", good.with { $0.device = nil }, ["vehicle_status_events[0].device MALFORMED"]),
      ("device id", good.with { $0.device = ("-", 1) }, ["vehicle_status_events[0].device.id INVALID_DEVICE"]),
      ("HVAC", good.with { $0.device = ("a", 2) }, ["vehicle_status_events[0].device.type INVALID_DEVICE"]),
      ("no type", good.with { $0.device = ("a", 0) }, ["vehicle_status_events[0].device.type MALFORMED"]),
      ("no status", good.with { $0.status = nil }, ["vehicle_status_events[0].status MALFORMED"]),
      (
        "charge", good.with { $0.charge = 101 }, ["vehicle_status_events[0].state_of_charge_percent OUT_OF_RANGE"]
      ),
      (
        "energy", good.with { $0.energy = -1 },
        ["vehicle_status_events[0].battery_energy_milliwatt_hours OUT_OF_RANGE"]
      ),
      (
        "range", good.with { $0.range = .nan }, ["vehicle_status_events[0].estimated_range_meters OUT_OF_RANGE"]
      ),
      (
        "target", good.with { $0.target = (101, -1) },
        [
          "vehicle_status_events[0].charging_target.state_of_charge_percent OUT_OF_RANGE",
          "vehicle_status_events[0].charging_target.estimated_completion_time MALFORMED",
        ]
      ),
      ("session", good.with { $0.sessionID = "s" }, ["vehicle_status_events[0].session_id MALFORMED"]),
    ]
  }()

  @Test(arguments: faultyStatuses)
  func `names every fault of a status event`(name: String, event: SampleStatus, expected: [String]) throws {
    let request = try decode(batch([], statuses: [event.bytes, SampleStatus().bytes]))
    #expect(request.faults.map { "\($0.path) \($0.reason.rawValue)" } == expected)
    #expect(request.statusEvents.map(\.index) == [1])
  }

  @Test(
    arguments: [(5, 99, .chargingActive(reason: 99)), (5, -1, .chargingActive(reason: -1))]
      + [(6, 0, .chargingIdle(reason: 0)), (7, nil, .chargerUnplugged)]
      as [(Int, Int64?, ElectricVehicleStatusEvent.Status)])
  func `keeps charging reasons as they were sent`(
    field: Int, value: Int64?, expected: ElectricVehicleStatusEvent.Status
  ) throws {
    let request = try decode(batch([], statuses: [SampleStatus().with { $0.status = (field, value) }.bytes]))
    #expect(request.statusEvents.map(\.event.status) == [expected])
  }

  @Test func `stores zero and counts under lenient session rules`() throws {
    let events = [1, 2, 3].map { state in SampleEvent().with { $0.state = state }.bytes }
    let request = try decode(batch(events), rules: .lenient)
    #expect(request.faults.isEmpty)
    #expect(request.zeroedEventCount == 2)
    let measurements = request.loadEvents.compactMap { electricVehicle($0.event) }
    #expect(measurements.map(\.power.milliwatts) == [0, 7_000_000, 0])
    #expect(measurements.map(\.energy.milliwattHours) == [0, 1_000_000, 1_000_000])
  }

  @Test func `is refused under lenient session rules too where a value is impossible`() throws {
    let event = SampleEvent().with {
      $0.state = 1
      $0.vehicle = (50, 1, -1, 0)
    }
    let request = try decode(batch([event.bytes]), rules: .lenient)
    #expect(request.faults.map(\.reason) == [.outOfRange])
    #expect(request.zeroedEventCount == 0)
  }

  @Test(arguments: [0, 10_001])
  func `has 1 to 10000 events`(count: Int) throws {
    let request = try decode(batch(Array(repeating: [], count: count)))
    #expect(request.faults.map { "\($0.path) \($0.reason.rawValue)" } == ["load_events MALFORMED"])
    #expect(request.loadEvents.isEmpty && request.faultCount == 1)
  }

  @Test func `counts all faults and keeps a thousand`() throws {
    let request = try decode(batch(Array(repeating: [], count: 9_999), statuses: [[]]))
    #expect(request.faults.count == 1000)
    #expect(request.faultCount == 9_999 * 7 + 4)
    #expect(request.faults.last?.position == .loadEvent(142))
  }

  @Test func `names a venue`() {
    #expect(throws: WireError.invalid(InvalidRequest(field: "venue_id", description: "is not a UUID"))) {
      try decode(batch([SampleEvent().bytes], venue: "home"))
    }
    #expect(throws: WireError.invalid(InvalidRequest(field: "venue_id", description: "a UUID is needed"))) {
      try decode([])
    }
  }

  // G-064
  @Test func `ignores unknown fields`() throws {
    let unknown = WireBuilder {
      $0.number(100, 1)
      $0.double(101, 1)
      $0.text(102, "x")
      $0.raw([0xBD, 0x06, 1, 2, 3, 4])  // 103, four bytes
    }.bytes
    let request = try decode(unknown + batch([SampleEvent().with { $0.extra = unknown }.bytes]) + unknown)
    #expect(request.loadEvents.count == 1 && request.faults.isEmpty)
  }

  @Test func `takes the last of repeated fields`() throws {
    let event = SampleEvent().with { $0.state = 2 }.bytes + WireBuilder { $0.number(4, 3) }.bytes
    let request = try decode(
      batch([event], venue: "00000000-0000-0000-0000-000000000000") + WireBuilder { $0.text(1, sampleVenue) }.bytes)
    #expect(request.venueID.text == sampleVenue)
    #expect(request.faults.map(\.reason) == [.nonzeroAtEnd])
  }

  @Test func `does not take one device's name for another's`() throws {
    let named = { (id: String, name: String) in
      SampleEvent().with {
        $0.deviceID = nil
        $0.device = (Array(id.utf8), Array(name.utf8), 1)
      }.bytes
    }
    let request = try decode(
      batch([
        named("a", "x"), named("a", "x"), named("a", "y"), named("b", "y"), SampleEvent().bytes, named("b", "y\0 z"),
        named("b", String(repeating: "n", count: 300)), named("b", ""),
      ]))
    #expect(request.loadEvents.map(\.event.device.id.text) == ["a", "a", "a", "b", "car-1", "b", "b", "b"])
    #expect(
      request.loadEvents.map(\.event.device.name)
        == ["x", "x", "y", "y", nil, "y z", String(repeating: "n", count: 250), "b"])
  }

  @Test func `gives the same in slices, also over copies of the message`() throws {
    let events = (0..<1_234).map { number in
      SampleEvent().with { $0.state = number % 7 == 0 ? 0 : 2 }.bytes
    }
    let message = batch(events, statuses: [SampleStatus().bytes])
    let whole = try decode(message)
    let arena = DecodeArena()
    var decoder = try message.withBytes { bytes throws(WireError) in try LoadEventBatchDecoder(bytes) }
    #expect(decoder.eventCount == 1_235)
    var slices = 1
    while try message.withBytes({ bytes throws(WireError) in try !decoder.decodeSlice(of: bytes, arena: arena) }) {
      slices += 1
    }
    #expect(slices == 3)
    #expect(decoder.request.loadEvents == whole.loadEvents)
    #expect(decoder.request.statusEvents == whole.statusEvents)
    #expect(decoder.request.faults == whole.faults)
    #expect(whole.faultCount == 177)
  }

  private func electricVehicle(_ event: LoadEvent) -> ElectricVehicleMeasurement? {
    switch event.measurement {
    case .electricVehicle(let measurement): measurement
    case .hvac: nil
    }
  }
}
