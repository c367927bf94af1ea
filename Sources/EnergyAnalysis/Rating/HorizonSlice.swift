import EnergyModel

/// A piece of the time ahead and the carbon value it is rated by.
struct HorizonSlice: Hashable, Sendable {
  let interval: Interval
  /// gCO2eq/kWh
  let value: Double
  let quality: DataQuality
  let origin: Origin

  enum Origin: Hashable, Sendable {
    /// The source's own value.
    case given
    /// Between two values of the source that are at most an hour apart.
    case interpolated
    /// What the hour of the day usually has; the rating is drawn half-way to ½.
    case typical
  }

  /// The part of the slice within `bounds`, `nil` where there is none.
  func clipped(to bounds: Interval) -> HorizonSlice? {
    interval.intersection(bounds).map { HorizonSlice(interval: $0, value: value, quality: quality, origin: origin) }
  }
}

extension Interval {
  /// The pieces between the edges that `nextEdge` names, each given the start of a piece and asked for a later moment.
  func pieces(_ nextEdge: (Timestamp) -> Timestamp) -> [Interval] {
    var pieces: [Interval] = []
    var cursor = start
    while cursor < end {
      let edge = max(cursor.advanced(byMilliseconds: 1), min(end, nextEdge(cursor)))
      pieces.append(Interval(start: cursor, milliseconds: edge.milliseconds(since: cursor)))
      cursor = edge
    }
    return pieces
  }
}
