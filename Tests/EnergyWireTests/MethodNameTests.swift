import CEnergyProto
import CProtobufC
import EnergyWire
import Testing

@Suite struct `The method names` {
  @Test func `are those of the contract, all of them`() {
    let services = [
      energykit__v1__energy_venue_service__descriptor, energykit__v1__electricity_guidance_service__descriptor,
      energykit__v1__load_event_service__descriptor, energykit__v1__electricity_insight_service__descriptor,
      energykit__v1__home_experience_service__descriptor, energykit__v1__admin_service__descriptor,
    ]
    let paths = services.flatMap { service in
      (0..<Int(service.n_methods)).map { index in
        "/\(String(cString: service.name))/\(String(cString: service.methods[index].name))"
      }
    }
    #expect(Set(paths) == Set(MethodName.allCases.map(\.path)))
    #expect(paths.count == MethodName.allCases.count)
    #expect(MethodName.allCases.filter(\.isAdmin).count == Int(energykit__v1__admin_service__descriptor.n_methods))
  }
}
