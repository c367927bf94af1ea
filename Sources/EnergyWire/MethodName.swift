/// Every method of the contract by its path, `/package.Service/Method`.
package enum MethodName: String, Hashable, Sendable, CaseIterable {
  // EnergyVenueService
  case listVenues = "/energykit.v1.EnergyVenueService/ListVenues"
  case getVenue = "/energykit.v1.EnergyVenueService/GetVenue"
  // ElectricityGuidanceService
  case getGuidance = "/energykit.v1.ElectricityGuidanceService/GetGuidance"
  case streamGuidance = "/energykit.v1.ElectricityGuidanceService/StreamGuidance"
  case planLoad = "/energykit.v1.ElectricityGuidanceService/PlanLoad"
  // LoadEventService
  case submitLoadEvents = "/energykit.v1.LoadEventService/SubmitLoadEvents"
  case streamLoadEvents = "/energykit.v1.LoadEventService/StreamLoadEvents"
  // ElectricityInsightService
  case streamEnergyInsights = "/energykit.v1.ElectricityInsightService/StreamEnergyInsights"
  case streamRuntimeInsights = "/energykit.v1.ElectricityInsightService/StreamRuntimeInsights"
  // HomeExperienceService
  case listDevices = "/energykit.v1.HomeExperienceService/ListDevices"
  case listActivity = "/energykit.v1.HomeExperienceService/ListActivity"
  case listTrends = "/energykit.v1.HomeExperienceService/ListTrends"
  case streamTrends = "/energykit.v1.HomeExperienceService/StreamTrends"
  // AdminService
  case createClient = "/energykit.v1.AdminService/CreateClient"
  case getClient = "/energykit.v1.AdminService/GetClient"
  case listClients = "/energykit.v1.AdminService/ListClients"
  case updateClient = "/energykit.v1.AdminService/UpdateClient"
  case deleteClient = "/energykit.v1.AdminService/DeleteClient"
  case rotateClientKey = "/energykit.v1.AdminService/RotateClientKey"
  case createVenue = "/energykit.v1.AdminService/CreateVenue"
  case getVenueSettings = "/energykit.v1.AdminService/GetVenueSettings"
  case listVenueSettings = "/energykit.v1.AdminService/ListVenueSettings"
  case updateVenue = "/energykit.v1.AdminService/UpdateVenue"
  case deleteVenue = "/energykit.v1.AdminService/DeleteVenue"
  case deleteDevice = "/energykit.v1.AdminService/DeleteDevice"
  case setVenueAccess = "/energykit.v1.AdminService/SetVenueAccess"
  case listVenueAccess = "/energykit.v1.AdminService/ListVenueAccess"
  case createRatePlan = "/energykit.v1.AdminService/CreateRatePlan"
  case listRatePlans = "/energykit.v1.AdminService/ListRatePlans"
  case deleteRatePlan = "/energykit.v1.AdminService/DeleteRatePlan"
  case publishGridSignal = "/energykit.v1.AdminService/PublishGridSignal"
  case publishGridEvent = "/energykit.v1.AdminService/PublishGridEvent"
  case listGridEvents = "/energykit.v1.AdminService/ListGridEvents"
  case listGridRegions = "/energykit.v1.AdminService/ListGridRegions"
  case resolveGridRegion = "/energykit.v1.AdminService/ResolveGridRegion"

  package var path: String { rawValue }

  /// Whether the admin key is needed, which works nowhere else (docs/architecture.md, Callers).
  package var isAdmin: Bool { rawValue.hasPrefix("/energykit.v1.AdminService/") }
}
