internal import CEnergyProto
package import EnergyModel
package import ProtobufWire

/// One publication of a grid signal by the operator.
package struct PublishGridSignalRequest: Hashable, Sendable {
  /// In the units of the model: prices in USD/kWh. Each point holds for the request's step.
  package let signal: GridSignal

  package static let maximumPointCount = 100_000
  package static let stepSeconds: ClosedRange<Int64> = 300...3600
  /// gCO2eq/kWh.
  package static let maximumCarbonIntensity = 5000.0
  /// Either sign.
  package static let maximumPriceUSDPerKWh = 100.0
  private static let maximumRegionByteCount = 64
  private static let maximumModelByteCount = 128
  private static let pointsField: UInt32 = 7
  fileprivate static let pointCounts = "1 to \(maximumPointCount) points are needed"

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    let (head, points) = try Self.split(message)
    let header = try Self.header(head, arena)
    let signalPoints = try header.points(message, points, arena)
    signal = GridSignal(
      key: header.key, isMeasured: header.isMeasured, issueTime: header.issueTime, points: signalPoints)
  }

  /// The message without its points, and where each of those lies: points are unpacked one by one, so that the arena
  /// stays small.
  private static func split(_ message: UnsafeRawBufferPointer) throws(WireError) -> ([UInt8], [Range<Int>]) {
    var head: [UInt8] = []
    var points: [Range<Int>] = []
    var otherCount = 0
    var scanner = WireScanner()
    var start = 0
    while let field = try scanner.next(in: message) {
      if field.number == pointsField {
        guard field.type == .lengthDelimited else { throw .unparsable }
        guard points.count < maximumPointCount else { throw .invalid("points", pointCounts) }
        points.append(field.payload)
      } else {
        otherCount += 1
        guard otherCount <= DecodeArena.fieldLimit else { throw .tooComplex }
        head.append(contentsOf: message[start..<scanner.offset])
      }
      start = scanner.offset
    }
    return (head, points)
  }

  private static func header(_ bytes: [UInt8], _ arena: DecodeArena) throws(WireError) -> Header {
    arena.begin(messageByteCount: bytes.count)
    guard let raw = energykit__v1__publish_grid_signal_request__unpack(arena.allocator, bytes.count, bytes) else {
      throw arena.unpackError
    }
    let region = try arena.text(
      raw.pointee.grid_region, field: "grid_region", maximumByteCount: maximumRegionByteCount)
    guard region.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .invalid("grid_region", "must be printable ASCII without spaces")
    }
    let model = try arena.text(raw.pointee.model, field: "model", maximumByteCount: maximumModelByteCount)
    guard let kind = UInt8(exactly: raw.pointee.kind.rawValue).flatMap(SignalKind.init(rawValue:)) else {
      throw .invalid("kind", "must be CARBON_AVERAGE, CARBON_MARGINAL or PRICE")
    }
    guard let issueTime = Timestamp(raw.pointee.issue_time) else {
      throw .invalid("issue_time", "a time between the years 1 and 9999 is needed")
    }
    guard stepSeconds.contains(raw.pointee.step_seconds) else {
      throw .invalid("step_seconds", "must be 300 to 3600")
    }
    return Header(
      key: SignalKey(gridRegion: region, kind: kind, model: model), isMeasured: raw.pointee.measured != 0,
      issueTime: issueTime, stepMilliseconds: raw.pointee.step_seconds * 1000)
  }
}

/// Everything in a publication but its points.
private struct Header {
  let key: SignalKey
  let isMeasured: Bool
  let issueTime: Timestamp
  let stepMilliseconds: Int64

  func points(
    _ message: UnsafeRawBufferPointer, _ ranges: [Range<Int>], _ arena: DecodeArena
  ) throws(WireError) -> [SignalPoint] {
    guard !ranges.isEmpty else { throw .invalid("points", PublishGridSignalRequest.pointCounts) }
    var points: [SignalPoint] = []
    points.reserveCapacity(ranges.count)
    for (index, range) in ranges.enumerated() {
      let next = try point(UnsafeRawBufferPointer(rebasing: message[range]), index, arena)
      if let last = points.last, next.interval.start < last.interval.end {
        throw .invalid("points[\(index)].start", "must not lie before the end of the point before")
      }
      points.append(next)
    }
    return points
  }

  private func point(
    _ bytes: UnsafeRawBufferPointer, _ index: Int, _ arena: DecodeArena
  ) throws(WireError) -> SignalPoint {
    arena.begin(messageByteCount: bytes.count)
    guard
      let raw = energykit__v1__signal_point__unpack(
        arena.allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    guard let start = Timestamp(raw.pointee.start) else {
      throw .invalid("points[\(index)].start", "a time between the years 1 and 9999 is needed")
    }
    let quality: DataQuality =
      if raw.pointee.estimated != 0 { .estimated } else if isMeasured { .measured } else { .forecast }
    guard let value = modelValue(raw.pointee.value),
      let point = SignalPoint(
        interval: Interval(start: start, milliseconds: stepMilliseconds), value: value, quality: quality)
    else { throw .invalid("points[\(index)].value", allowedValues) }
    return point
  }

  /// The wire's unit into the model's; `nil` outside of what is allowed.
  private func modelValue(_ value: Double) -> Double? {
    switch key.kind {
    case .carbonAverage, .carbonMarginal:
      (0...PublishGridSignalRequest.maximumCarbonIntensity).contains(value) ? value : nil
    case .price:
      abs(value / 1000) <= PublishGridSignalRequest.maximumPriceUSDPerKWh ? value / 1000 : nil
    }
  }

  private var allowedValues: String {
    switch key.kind {
    case .carbonAverage, .carbonMarginal: "must be 0 to 5000 gCO2eq/kWh"
    case .price: "must be -100000 to 100000 USD/MWh"
    }
  }
}
