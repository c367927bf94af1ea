internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

extension Contract {
  /// A whole forecast as one caller gets it.
  package struct Guidance: Hashable, Sendable {
    package let token: UUID
    package let venueID: UUID
    /// `nil` where the server names one that this client does not know.
    package let action: SuggestedAction?
    /// Without those that this client does not know.
    package let options: [GuidanceOption]
    package let values: [GuidanceValue]
    package let issueTime: Timestamp?
    package let gridRegion: String
    package let nextUpdateTime: Timestamp?

    init(_ raw: UnsafePointer<Energykit__V1__ElectricityGuidance>, _ message: DecodedMessage) throws(WireError) {
      let raw = raw.pointee
      token = try message.arena.uuid(raw.guidance_token, field: "guidance.guidance_token")
      venueID = try message.arena.uuid(raw.venue_id, field: "guidance.venue_id")
      action = UInt8(exactly: raw.suggested_action.rawValue).flatMap(SuggestedAction.init(rawValue:))
      options = UnsafeBufferPointer(start: raw.options, count: raw.n_options).compactMap {
        UInt8(exactly: $0.rawValue).flatMap(GuidanceOption.init(rawValue:))
      }
      values = try message.list(raw.n_values, raw.values) { value throws(WireError) in
        guard let interval = Interval(value.pointee.interval) else {
          throw .invalid("guidance.values.interval", "is no span of time")
        }
        guard let rating = Rating(value.pointee.rating) else {
          throw .invalid("guidance.values.rating", "must be 0 to 1")
        }
        return GuidanceValue(interval: interval, rating: rating)
      }
      issueTime = Timestamp(raw.issue_time)
      gridRegion = try message.arena.text(of: raw.grid_region)
      nextUpdateTime = Timestamp(raw.next_update_time)
    }
  }

  /// The current guidance, or nothing where it is the one that the caller knows.
  package struct ExplainedGuidance: Hashable, Sendable {
    package let guidance: Guidance?
    /// As many as values where they were asked for, else none.
    package let explanations: [RatingExplanation]
  }

  package struct GetGuidance: ContractCall {
    package let venueID: UUID
    package let action: SuggestedAction
    package let explains: Bool
    package let knownToken: UUID?

    package init(venueID: UUID, action: SuggestedAction, explains: Bool = false, knownToken: UUID? = nil) {
      self.venueID = venueID
      self.action = action
      self.explains = explains
      self.knownToken = knownToken
    }

    package static var method: MethodName { .getGuidance }
    package static var answerType: ContractMessage { .init(energykit__v1__get_guidance_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.integer(Int64(action.rawValue), 2)
      sink.bool(explains, 3)
      if let knownToken { sink.uuid(knownToken, 4) }
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> ExplainedGuidance {
      let raw = message.view(Energykit__V1__GetGuidanceResponse.self).pointee
      return ExplainedGuidance(
        guidance: try raw.guidance.map { raw throws(WireError) in try Guidance(raw, message) },
        explanations: try message.list(raw.n_explanations, raw.explanations) { explanation throws(WireError) in
          try RatingExplanation(explanation, message.arena)
        })
    }
  }

  package struct StreamGuidance: ContractCall {
    package let venueID: UUID
    package let action: SuggestedAction
    package let knownToken: UUID?

    package init(venueID: UUID, action: SuggestedAction, knownToken: UUID? = nil) {
      self.venueID = venueID
      self.action = action
      self.knownToken = knownToken
    }

    package static var method: MethodName { .streamGuidance }
    package static var answerType: ContractMessage { .init(energykit__v1__stream_guidance_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.integer(Int64(action.rawValue), 2)
      if let knownToken { sink.uuid(knownToken, 3) }
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Guidance {
      let raw = message.view(Energykit__V1__StreamGuidanceResponse.self).pointee
      return try Guidance(message.required(raw.guidance, "guidance"), message)
    }
  }

  /// When to run a load.
  package struct Plan: Hashable, Sendable {
    package let token: UUID
    /// Ascending.
    package let intervals: [Interval]
    /// 0...1, time-weighted.
    package let meanRating: Rating
    /// Of the same load started with the window; `nil` where guidance does not cover that.
    package let immediateMeanRating: Rating?
    package let coversWindow: Bool
  }

  package struct PlanLoad: ContractCall {
    package let venueID: UUID
    package let action: SuggestedAction
    package let window: Interval
    package let durationSeconds: Int
    package let isContiguous: Bool

    package init(
      venueID: UUID, action: SuggestedAction, window: Interval, durationSeconds: Int, isContiguous: Bool
    ) {
      self.venueID = venueID
      self.action = action
      self.window = window
      self.durationSeconds = durationSeconds
      self.isContiguous = isContiguous
    }

    package static var method: MethodName { .planLoad }
    package static var answerType: ContractMessage { .init(energykit__v1__plan_load_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.integer(Int64(action.rawValue), 2)
      sink.message(TimeIntervalMessage(window), 3)
      sink.message(DurationMessage(seconds: durationSeconds), 4)
      sink.bool(isContiguous, 5)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Plan {
      let raw = message.view(Energykit__V1__PlanLoadResponse.self).pointee
      let intervals = try message.list(raw.n_intervals, raw.intervals) { raw throws(WireError) in
        guard let interval = Interval(UnsafeMutablePointer(mutating: raw)) else {
          throw .invalid("intervals", "is no span of time")
        }
        return interval
      }
      guard let mean = Rating(raw.mean_rating) else { throw .invalid("mean_rating", "must be 0 to 1") }
      return Plan(
        token: try message.arena.uuid(raw.guidance_token, field: "guidance_token"), intervals: intervals,
        meanRating: mean, immediateMeanRating: raw.immediate_mean_rating.flatMap { Rating($0.pointee.value) },
        coversWindow: raw.window_covered != 0)
    }
  }
}

extension Interval {
  /// `nil` where the message is absent, one of its ends is, or it ends before it starts.
  init?(_ raw: UnsafeMutablePointer<Energykit__V1__TimeInterval>?) {
    guard let raw, let start = Timestamp(raw.pointee.start), let end = Timestamp(raw.pointee.end) else { return nil }
    self.init(start: start, end: end)
  }
}

extension RatingExplanation {
  init(_ raw: UnsafePointer<Energykit__V1__RatingExplanation>, _ arena: DecodeArena) throws(WireError) {
    let raw = raw.pointee
    self.init(
      carbonKind: UInt8(exactly: raw.carbon_kind.rawValue).flatMap(SignalKind.init(rawValue:)),
      carbonModel: try arena.text(of: raw.carbon_model), carbonIntensity: raw.carbon_intensity?.pointee.value,
      referenceRank: raw.reference_rank?.pointee.value, horizonRank: raw.horizon_rank?.pointee.value,
      horizonMateriality: raw.horizon_materiality?.pointee.value,
      priceUSDPerKWh: raw.price_usd_per_kwh?.pointee.value, priceScore: raw.price_score?.pointee.value,
      priceMateriality: raw.price_materiality?.pointee.value,
      quality: UInt8(exactly: raw.quality.rawValue).flatMap(DataQuality.init(rawValue:)) ?? .estimated,
      isGridEvent: raw.grid_event != 0)
  }
}
