import EnergyWire
import GRPC
import GRPCServices

/// Health, and reflection where it is wanted, for all loops.
struct StandardServices {
  let health = HealthBoard()
  private let descriptors: DescriptorPool?

  init(_ configuration: Configuration) {
    descriptors =
      configuration.servesReflection
      ? DescriptorPool([EnergyContract.descriptorSet, DescriptorPool.standardSet]) : nil
  }

  /// For one loop, beside `methods`, whose health is told and which are described.
  func methods(beside methods: [Method], on executor: any CallExecutor) -> [Method] {
    let health = HealthService(of: methods, board: health, on: executor).methods
    guard let descriptors else { return health }
    return health + ReflectionService(of: methods + health, pool: descriptors).methods
  }
}
