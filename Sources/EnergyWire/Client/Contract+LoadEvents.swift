internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

extension Contract {
  /// An event, encoded.
  package struct EncodedEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case load, vehicleStatus
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ event: LoadEvent) {
      kind = .load
      bytes = LoadEventMessage(event: event).encodedBytes
    }

    package init(_ event: ElectricVehicleStatusEvent) {
      kind = .vehicleStatus
      bytes = StatusEventMessage(event: event).encodedBytes
    }

    /// - Parameter json: A LoadEvent or an ElectricVehicleStatusEvent, by protobuf's JSON mapping.
    package init(_ kind: Kind, json: JSONText.Value) throws(JSONText.Fault) {
      self.kind = kind
      switch kind {
      case .load: bytes = try ContractMessage(energykit__v1__load_event__init).encoded(json)
      case .vehicleStatus:
        bytes = try ContractMessage(energykit__v1__electric_vehicle_status_event__init).encoded(json)
      }
    }
  }

  /// What became of a batch.
  package struct SubmissionResult: Hashable, Sendable {
    package let storedCount: Int
    package let duplicateCount: Int
    package let rejectedCount: Int
    /// One for each fault, at most 1,000.
    package let rejected: [Rejection]
  }

  package struct Rejection: Hashable, Sendable {
    /// Path in the request, for example `load_events[3].guidance_token`.
    package let field: String
    package let reason: String
    package let description: String

    package init(field: String, reason: String, description: String) {
      self.field = field
      self.reason = reason
      self.description = description
    }
  }

  package struct SubmitLoadEvents: ContractCall {
    package let venueID: UUID
    package let events: [EncodedEvent]
    package let allowsPartialSuccess: Bool

    package init(venueID: UUID, events: [EncodedEvent], allowsPartialSuccess: Bool = false) {
      self.venueID = venueID
      self.events = events
      self.allowsPartialSuccess = allowsPartialSuccess
    }

    package static var method: MethodName { .submitLoadEvents }
    package static var answerType: ContractMessage { .init(energykit__v1__submit_load_events_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      for event in events where event.kind == .load { event.bytes.withUnsafeBytes { sink.bytes($0, 2) } }
      for event in events where event.kind == .vehicleStatus { event.bytes.withUnsafeBytes { sink.bytes($0, 3) } }
      sink.bool(allowsPartialSuccess, 4)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> SubmissionResult {
      let raw = message.view(Energykit__V1__SubmitLoadEventsResponse.self).pointee
      return SubmissionResult(
        storedCount: Int(raw.stored_count), duplicateCount: Int(raw.duplicate_count),
        rejectedCount: Int(raw.rejected_count),
        rejected: try message.list(raw.n_rejected, raw.rejected) { fault throws(WireError) in
          Rejection(
            field: try message.arena.text(of: fault.pointee.field),
            reason: try message.arena.text(of: fault.pointee.reason),
            description: try message.arena.text(of: fault.pointee.description))
        })
    }
  }
}

/// energykit.v1.LoadEvent.
private struct LoadEventMessage: WireMessage {
  let event: LoadEvent

  func encode(to sink: inout some WireSink) {
    sink.uuid(event.id, 1)
    sink.message(TimestampMessage(event.timestamp), 2)
    sink.uuid(event.sessionID, 3)
    sink.integer(Int64(event.sessionState.rawValue), 4)
    sink.bool(event.wasFollowingGuidance, 5)
    sink.uuid(event.guidanceToken, 6)
    if let name = event.device.name {
      sink.message(DeviceMessage(id: event.device.id, name: name, type: event.measurement.deviceType), 8)
    } else {
      sink.string(event.device.id.text, 7)
    }
    switch event.measurement {
    case .electricVehicle(let measurement): sink.message(VehicleMeasurementMessage(measurement: measurement), 9)
    case .hvac(let measurement): sink.message(SingleNumber(value: Int64(measurement.stage.value)), 10)
    }
  }
}

/// energykit.v1.ElectricalLoadDevice.
private struct DeviceMessage: WireMessage {
  let id: DeviceID
  let name: String
  let type: DeviceType

  func encode(to sink: inout some WireSink) {
    sink.string(id.text, 1)
    sink.string(name, 2)
    sink.integer(Int64(type.rawValue), 3)
  }
}

/// energykit.v1.ElectricVehicleMeasurement.
private struct VehicleMeasurementMessage: WireMessage {
  let measurement: ElectricVehicleMeasurement

  func encode(to sink: inout some WireSink) {
    sink.integer(Int64(measurement.stateOfCharge.value), 1)
    sink.integer(Int64(measurement.direction.rawValue), 2)
    sink.integer(measurement.power.milliwatts, 3)
    sink.integer(measurement.energy.milliwattHours, 4)
    sink.message(measurement.performance.map(PerformanceMessage.init), 5)
  }
}

/// energykit.v1.VehiclePerformanceMetrics.
private struct PerformanceMessage: WireMessage {
  let performance: VehiclePerformance

  func encode(to sink: inout some WireSink) {
    sink.message(performance.estimatedRangeMeters.map(DoubleValueMessage.init), 1)
    sink.message(performance.batteryTemperatureCelsius.map(DoubleValueMessage.init), 2)
  }
}

/// energykit.v1.ElectricVehicleStatusEvent.
private struct StatusEventMessage: WireMessage {
  let event: ElectricVehicleStatusEvent

  func encode(to sink: inout some WireSink) {
    sink.uuid(event.id, 1)
    sink.message(TimestampMessage(event.timestamp), 2)
    sink.message(DeviceMessage(id: event.device.id, name: event.device.name, type: event.device.type), 3)
    // A oneof is written also where its value is the default.
    switch event.status {
    case .chargerPluggedIn: sink.message(EmptyMessage(), 4)
    case .chargingActive(let reason): sink.present(Int64(reason), 5)
    case .chargingIdle(let reason): sink.present(Int64(reason), 6)
    case .chargerUnplugged: sink.message(EmptyMessage(), 7)
    }
    sink.integer(Int64(event.stateOfCharge.value), 8)
    sink.integer(event.batteryEnergy.milliwattHours, 9)
    sink.message(event.estimatedRangeMeters.map(DoubleValueMessage.init), 10)
    sink.message(event.chargingTarget.map(ChargingTargetMessage.init), 11)
    if let sessionID = event.sessionID { sink.uuid(sessionID, 12) }
  }
}

/// energykit.v1.ChargingTarget.
private struct ChargingTargetMessage: WireMessage {
  let target: ChargingTarget

  func encode(to sink: inout some WireSink) {
    sink.integer(Int64(target.stateOfCharge.value), 1)
    sink.message(target.estimatedCompletionTime.map(TimestampMessage.init), 2)
    sink.message(target.scheduledStartTime.map(TimestampMessage.init), 3)
    sink.message(target.estimatedRangeAtTargetMeters.map(DoubleValueMessage.init), 4)
  }
}

/// A message without fields.
struct EmptyMessage: WireMessage {
  func encode(to sink: inout some WireSink) {}
}

/// A message whose one field, 1, is a number.
struct SingleNumber: WireMessage {
  let value: Int64

  func encode(to sink: inout some WireSink) { sink.integer(value, 1) }
}

/// google.protobuf.StringValue.
struct StringValueMessage: WireMessage {
  let value: String

  func encode(to sink: inout some WireSink) { sink.string(value, 1) }
}

/// google.protobuf.BoolValue.
struct BoolValueMessage: WireMessage {
  let value: Bool

  func encode(to sink: inout some WireSink) { sink.bool(value, 1) }
}

extension WireSink {
  /// A number in a oneof, which is there also where it is 0.
  mutating func present(_ value: Int64, _ field: UInt32) {
    key(field, .varint)
    varint(UInt64(bitPattern: value))
  }
}
