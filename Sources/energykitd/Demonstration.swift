import EnergyModel
import EnergyService
import FoundationEssentials
import GridData
import Storage

/// `--demo` (docs/operating.md, The demonstration): the bundled grid data as if it were now, and who may try it.
struct Demonstration {
  let source: RecordedSource
  private let roster: DemoRoster
  private let path: String

  /// Seeds the store with what is not there yet; ids and keys of an earlier start stay.
  init(store: any EnergyStore, clock: ServiceClock, _ configuration: Configuration) async throws(StartError) {
    path = (configuration.dataDirectory ?? ".") + "/demo.json"
    var earlier: DemoRoster?
    if let file = try DemoFile.read(path) { earlier = try Self.roster(of: file, path: path) }
    let plan: RatePlan
    do throws(GridDataError) {
      source = try RecordedSource()
      plan = try BundledRates.pgeEV2A(now: clock.now)
    } catch {
      throw StartError("the bundled data cannot be read: \(error)")
    }
    let secondRegion = source.gridRegions.first { $0 != "CISO" } ?? "CISO"
    do {
      roster = try await Demo(plan: plan, secondRegion: secondRegion).seed(store, earlier: earlier, now: clock.now)
    } catch let error as StoreError {
      throw StartError(error, store: earlier == nil ? configuration.dataDirectory ?? "the store" : path)
    } catch {
      throw StartError("the demonstration cannot be set up: \(error)")
    }
  }

  func writeFile(address: String, adminKey: String) throws(StartError) {
    let clients = roster.clients.map { client in
      DemoFile.DemoClient(
        name: client.name, id: client.id.text, apiKey: client.apiKey,
        entitlements: client.entitlements.sorted { $0.rawValue < $1.rawValue }.map(\.name))
    }
    let venues = roster.venues.map {
      DemoFile.DemoVenue(name: $0.name, id: $0.id.text, gridRegion: $0.gridRegion)
    }
    try DemoFile(address: address, adminKey: adminKey, clients: clients, venues: venues).write(to: path)
  }

  private static func roster(of file: DemoFile, path: String) throws(StartError) -> DemoRoster {
    var roster = DemoRoster()
    for client in file.clients {
      guard let id = UUID(text: client.id) else { throw StartError("\(path): \"\(client.id)\" is no UUID") }
      roster.clients.append(
        DemoRoster.Client(
          name: client.name, id: id, apiKey: client.apiKey,
          entitlements: Set(Entitlement.allCases.filter { client.entitlements.contains($0.name) })))
    }
    for venue in file.venues {
      guard let id = UUID(text: venue.id) else { throw StartError("\(path): \"\(venue.id)\" is no UUID") }
      roster.venues.append(DemoRoster.Venue(name: venue.name, id: id, gridRegion: venue.gridRegion))
    }
    return roster
  }
}
