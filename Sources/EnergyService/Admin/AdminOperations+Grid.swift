package import EnergyModel
internal import Storage

extension AdminOperations {
  /// - Throws: `alreadyExists` where the id is known with other content.
  package func createRatePlan(_ plan: RatePlan) async throws(AdminFailure) {
    try await change {
      if let known = try await store.ratePlans().first(where: { $0.id == plan.id }) {
        guard known == plan else { throw AdminFailure.alreadyExists(.ratePlan(id: plan.id)) }
        return
      }
      try await guidance.save(plan)
    }
  }

  /// Durable first, then current for all readers.
  package func publish(_ signal: GridSignal) async throws(AdminFailure) -> PublicationEffect {
    try await read {
      let effect = try await guidance.publish(signal)
      note(AdminChange("PublishGridSignal"))
      return effect
    }
  }

  /// All that there is data or a venue for, by code.
  package func gridRegions() async throws(AdminFailure) -> [GridRegionState] {
    try await read { try await guidance.gridRegions() }
  }

  /// - Throws: `notServed` where nothing can be found from a place.
  package func place(at point: GeoPoint) async throws(AdminFailure) -> Place {
    guard let findPlace else { throw .notServed("regions are not found from locations by this server") }
    return await findPlace(point)
  }
}
