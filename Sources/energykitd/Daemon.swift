import AdminHTTP
import Diagnostics
import EnergyAnalysis
import EnergyModel
import EnergyRPC
import EnergyService
import EnergyWire
import GRPC
import GRPCServices
import GRPCTransport
import Glibc
import GridData
import NetworkIO
import SQLiteStorage
import Storage
import TLS

/// The parts of the server, wired together. No rules live here.
struct Daemon {
  private let configuration: Configuration
  private let certificates: ServerCertificates?
  private let adminKey: AdminKey
  private let log: Log
  private let store: any EnergyStore
  private let guidance: GuidanceService
  private let server: GRPCServer
  private let health: HealthBoard
  private let signals: SignalWatch
  private let adminServer: AdminServer?

  /// Everything up to `listening on`, which is printed last.
  static func start(
    _ configuration: Configuration, _ certificates: ServerCertificates?, log: Log
  ) async throws(StartError) -> Daemon {
    EventLoop.ignoreBrokenPipes()
    DescriptorLimit.raise()
    // Before anything that takes time: a signal that comes meanwhile is kept and obeyed once the server is up.
    let loops = try makeLoops(configuration.loopCount)
    let signals = try await watchSignals(on: loops[0])
    let store = try openStore(configuration, log)
    do throws(StartError) {
      return try await start(configuration, certificates, log, store, loops, signals)
    } catch {
      await store.close()
      throw error
    }
  }

  private static func start(
    _ configuration: Configuration, _ certificates: ServerCertificates?, _ log: Log, _ store: any EnergyStore,
    _ loops: [EventLoop], _ signals: SignalWatch
  ) async throws(StartError) -> Daemon {
    let clock = ServiceClock(offsetSeconds: Int64(configuration.clockOffsetSeconds))
    guard GuidanceTokenCodec.issueTimes.contains(clock.now) else {
      throw StartError("the clock says \(clock.now.rfc3339): guidance can be issued from 2020 to 2155 only")
    }
    let adminKey = try AdminKeyFile.readOrMake(configuration.adminKeyFile)
    var demo: Demonstration?
    if configuration.isDemo { demo = try await Demonstration(store: store, clock: clock, configuration) }
    let source = try GridFiles.source(configuration.gridFiles, beside: demo?.source)
    let services = try await startServices(configuration, log, store, clock, adminKey.key, source: source)
    let standard = StandardServices(configuration)
    let loopServices = try await makeServices(services, standard, on: loops)
    let server = try startServer(
      configuration.serverListeners(certificates), configuration, log, loopServices, on: loops)
    let addresses = server.addresses
    let adminServer = try startAdminServer(configuration, log, server, standard.health, services)
    try demo?.writeFile(address: addresses.first.map(\.description) ?? "", adminKey: adminKey.text)
    finishErasures(of: store, log)
    announce(addresses)
    warnOfClearListeners(configuration, log)
    log.notice("ready", ["listeners": LogValue(addresses.count), "loops": LogValue(configuration.loopCount)])
    return Daemon(
      configuration: configuration, certificates: certificates, adminKey: adminKey.key, log: log, store: store,
      guidance: services.guidance,
      server: server, health: standard.health, signals: signals, adminServer: adminServer)
  }

  private static func startAdminServer(
    _ configuration: Configuration, _ log: Log, _ server: GRPCServer, _ health: HealthBoard, _ services: SharedServices
  ) throws(StartError) -> AdminServer? {
    guard let address = configuration.adminHTTP else { return nil }
    let metrics = Metrics(
      server: server, health: health, counters: services.eventCounters, startedAt: Log.systemTime())
    do throws(AdminServer.Fault) {
      let admin = try AdminServer(at: address, routes: metrics.routes)
      log.notice("figures are served", ["address": LogValue(admin.address)])
      if !address.isLoopback {
        log.warning("figures are for anyone who can reach them", ["address": LogValue(admin.address)])
      }
      return admin
    } catch {
      switch error {
      case .cannotListen(let reason): throw StartError("--admin-http \(address): \(reason)")
      }
    }
  }

  /// Keys can be read on the way to such a listener, unless a proxy or a tunnel stands before it.
  private static func warnOfClearListeners(_ configuration: Configuration, _ log: Log) {
    for listener in configuration.listeners where listener.security == .clear && !listener.address.isLoopback {
      log.warning("a listener is not encrypted", ["address": LogValue(listener.address)])
    }
  }

  /// At once, also into a pipe: whoever started the server waits for these lines.
  private static func announce(_ addresses: [SocketAddress]) {
    for address in addresses { print("listening on \(address)") }
    fflush(nil)
  }

  private static func openStore(
    _ configuration: Configuration, _ log: Log
  ) throws(StartError) -> any EnergyStore {
    switch configuration.store {
    case .memory:
      // For admin.key and demo.json.
      if let directory = configuration.dataDirectory { try SecretFile.makeDirectory(directory) }
      return InMemoryStore()
    case .directory(let path):
      do throws(StoreError) {
        return try SQLiteStore(directory: path, onFailure: StoreProblemLog(log).reportOther)
      } catch {
        throw StartError(error, store: path)
      }
    }
  }

  private static func startServices(
    _ configuration: Configuration, _ log: Log, _ store: any EnergyStore, _ clock: ServiceClock, _ adminKey: AdminKey,
    source: (any GridDataSource)?
  ) async throws(StartError) -> SharedServices {
    let fanOut = GuidanceFanOut()
    let observer = GuidanceObserver(
      onRevision: { fanOut.publish($0) },
      onUnavailable: { fanOut.finish($0) },
      onProblem: { log.warning("guidance cannot be computed", ["problem": LogValue("\($0)")]) })
    do throws(EnergyKitError) {
      let keys = try await GuidanceTokenKeys.load(
        from: store, now: clock.now, maximumAgeDays: configuration.tokenKeyDays)
      let guidance = try await GuidanceService.start(
        store: store, clock: clock, source: source,
        settings: .init(
          reissueRule: ReissueRule(minimumIntervalSeconds: Int64(configuration.guidanceMinIntervalSeconds)),
          executor: WorkerThread()),
        observer: observer)
      let admin = AdminOperations(
        store: store, clock: clock, guidance: guidance, changes: AccessChanges(),
        findPlace: RegionLookup().place, audit: AdminLog(log).report)
      return SharedServices(
        store: store, clock: clock, tokenKeys: keys, adminKey: adminKey, admin: admin,
        venues: VenueService(store: store),
        guidance: guidance, loadEvents: LoadEventService(store: store, clock: clock), fanOut: fanOut,
        sessionRules: configuration.hasLenientSessionRules ? .lenient : .strict,
        clientLimits: configuration.clientLimits,
        onStoreProblem: StoreProblemLog(log).report)
    } catch {
      throw StartError("the services cannot start: the store cannot be used; the log says why (\(error))")
    }
  }
}

// MARK: - Listening and leaving

extension Daemon {
  private static func startServer(
    _ listeners: [GRPCServer.Configuration.Listener], _ configuration: Configuration, _ log: Log,
    _ services: LoopServices, on loops: [EventLoop]
  ) throws(StartError) -> GRPCServer {
    do throws(ListenError) {
      return try GRPCServer(
        .init(
          listeners: listeners, loops: loops, limits: configuration.connections.limits,
          policy: configuration.connections.policy, onCall: configuration.logsCalls ? CallLog(log).report : nil,
          onSecurityProblem: SecurityProblemLog(log).report, makeService: services.take))
    } catch {
      throw StartError(error.description)
    }
  }

  /// What each loop serves, made on it.
  private static func makeServices(
    _ services: SharedServices, _ standard: StandardServices, on loops: [EventLoop]
  ) async throws(StartError) -> LoopServices {
    try await LoopServices(on: loops) { (loop) throws(EnergyKitError) -> Service in
      let energy = try EnergyLoop(executor: loop, shared: services, makeBroadcast: { LoopBroadcast(on: loop) })
      services.fanOut.register(energy)
      return energy.makeService(with: standard.methods(beside: energy.methods, on: loop))
    }
  }

  private static func makeLoops(_ count: Int) throws(StartError) -> [EventLoop] {
    do throws(NetworkError) {
      var loops: [EventLoop] = []
      for index in 0..<count { loops.append(try EventLoop(name: "loop-\(index)")) }
      return loops
    } catch {
      throw StartError("no event loop: \(error)")
    }
  }

  private static func watchSignals(on loop: EventLoop) async throws(StartError) -> SignalWatch {
    do throws(NetworkError) {
      return try await SignalWatch(on: loop)
    } catch {
      throw StartError("signals cannot be watched: \(error)")
    }
  }

  /// Serves until SIGTERM or SIGINT, then drains and closes. A second one ends the process at once.
  func serveUntilSignal() async {
    for await signal in signals.received {
      switch signal {
      case .hangUp: reload()
      case .terminate:
        log.notice("draining", ["seconds": LogValue(configuration.drainSeconds)])
        signals.exitOnNext()
        await health.leave()
        try? await Task.sleep(for: .seconds(configuration.drainDelaySeconds))
        await server.shutdown(graceSeconds: UInt64(configuration.drainSeconds))
        adminServer?.stop()
        await guidance.stop()
        await store.close()
        log.notice("ended")
        return
      }
    }
  }

  /// SIGHUP: the operator's key, the certificates and the log level anew. What cannot be read stays as it was.
  private func reload() {
    reloadAdminKey()
    reloadCertificates()
    guard let level = Program.currentLogLevel() else {
      log.error("the configuration cannot be read; the log level stays")
      return
    }
    log.level = level
    log.notice("configuration read anew", ["log_level": LogValue(level.name)])
  }

  private func reloadAdminKey() {
    guard let path = configuration.adminKeyFile else { return }
    do throws(StartError) {
      guard let text = try AdminKeyFile.read(path) else { throw StartError("\(path): is not there") }
      adminKey.replace(by: text)
      log.notice("admin key read anew")
    } catch {
      log.error("the admin key cannot be used; the one read before stays", ["reason": LogValue(error.message)])
    }
  }

  /// What a crash has left of erasures, beside everything else.
  private static func finishErasures(of store: any EnergyStore, _ log: Log) {
    Task {
      do throws(StoreError) {
        try await store.finishErasures()
      } catch {
        guard error != .closed else { return }
        log.error("events could not be erased; the next start tries again", ["error": LogValue("\(error)")])
      }
    }
  }

  private func reloadCertificates() {
    guard let certificates else { return }
    do throws(TLSError) {
      try certificates.reload()
      log.notice("certificates read anew")
    } catch {
      log.error("certificates cannot be used; those read before stay", ["reason": LogValue(error.description)])
    }
  }
}
