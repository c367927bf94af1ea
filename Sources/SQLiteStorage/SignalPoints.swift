import EnergyModel

/// The points of a signal as bytes. A start reads weeks of them, and JSON would take a hundred times as long.
///
/// 25 bytes each, numbers little-endian: start and end in ms since 1970, the value's bits, the quality.
enum SignalPoints {
  private static let byteCount = 25

  static func encode(_ points: [SignalPoint]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(points.count * byteCount)
    for point in points {
      append(UInt64(bitPattern: point.interval.start.milliseconds), to: &bytes)
      append(UInt64(bitPattern: point.interval.end.milliseconds), to: &bytes)
      append(point.value.bitPattern, to: &bytes)
      bytes.append(point.quality.rawValue)
    }
    return bytes
  }

  /// `nil` for what `encode` never makes.
  static func decode(_ bytes: [UInt8]) -> [SignalPoint]? {
    guard bytes.count.isMultiple(of: byteCount) else { return nil }
    var points: [SignalPoint] = []
    points.reserveCapacity(bytes.count / byteCount)
    for offset in stride(from: 0, to: bytes.count, by: byteCount) {
      guard let point = point(in: bytes, at: offset) else { return nil }
      points.append(point)
    }
    return points
  }

  private static func point(in bytes: [UInt8], at offset: Int) -> SignalPoint? {
    let start = Timestamp(milliseconds: Int64(bitPattern: number(in: bytes, at: offset)))
    let end = Timestamp(milliseconds: Int64(bitPattern: number(in: bytes, at: offset + 8)))
    let value = Double(bitPattern: number(in: bytes, at: offset + 16))
    guard let interval = Interval(start: start, end: end), let quality = DataQuality(rawValue: bytes[offset + 24])
    else { return nil }
    return SignalPoint(interval: interval, value: value, quality: quality)
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Eight bytes must stand at `offset`.
  private static func number(in bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
