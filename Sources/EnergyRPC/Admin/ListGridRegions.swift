internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/ListGridRegions`.
struct ListGridRegions {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    do {
      _ = try ListGridRegionsRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let regions = try await admin.gridRegions().map {
        ListGridRegionsResponse.Region(
          code: $0.code, name: GridRegionName.name(ofRegion: $0.code) ?? "", latestIssueTime: $0.latestIssueTime,
          guidanceInterval: $0.guidanceInterval, quality: $0.quality)
      }
      return ListGridRegionsResponse(regions: regions)
    }
  }
}
