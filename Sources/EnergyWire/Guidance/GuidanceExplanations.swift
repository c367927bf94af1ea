package import EnergyModel
internal import ProtobufWire

/// Field 2 of GetGuidanceResponse: one explanation per value, the same bytes for all callers.
package enum GuidanceExplanations {
  package static func encode(_ revision: GuidanceRevision) -> [UInt8] {
    ExplanationsMessage(revision: revision).encodedBytes
  }
}

private struct ExplanationsMessage: WireMessage {
  let revision: GuidanceRevision

  func encode(to sink: inout some WireSink) {
    for (value, explanation) in zip(revision.values, revision.explanations) {
      sink.message(ExplanationMessage(interval: value.interval, explanation: explanation), 2)
    }
  }
}

/// energykit.v1.RatingExplanation.
private struct ExplanationMessage: WireMessage {
  let interval: Interval
  let explanation: RatingExplanation

  func encode(to sink: inout some WireSink) {
    sink.message(TimeIntervalMessage(interval), 1)
    sink.integer(Int64(explanation.carbonKind?.rawValue ?? 0), 2)
    sink.string(explanation.carbonModel, 3)
    sink.message(explanation.carbonIntensity.map(DoubleValueMessage.init), 4)
    sink.message(explanation.referenceRank.map(DoubleValueMessage.init), 5)
    sink.message(explanation.horizonRank.map(DoubleValueMessage.init), 6)
    sink.message(explanation.horizonMateriality.map(DoubleValueMessage.init), 7)
    sink.message(explanation.priceUSDPerKWh.map(DoubleValueMessage.init), 8)
    sink.message(explanation.priceScore.map(DoubleValueMessage.init), 9)
    sink.message(explanation.priceMateriality.map(DoubleValueMessage.init), 10)
    sink.integer(Int64(explanation.quality.rawValue), 11)
    sink.bool(explanation.isGridEvent, 12)
  }
}
