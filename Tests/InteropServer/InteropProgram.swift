import CTestingProto
import TestServer

/// `grpc-interop-server`: the service that gRPC implementations test each other with (G-130).
@main
struct InteropProgram {
  static func main() async {
    await ServerProgram("grpc-interop-server", descriptorSets: [descriptorSet]) { _ in InteropService().methods }.run()
  }

  private static var descriptorSet: [UInt8] {
    Array(
      UnsafeBufferPointer(
        start: energykit_testing_descriptor_set(), count: energykit_testing_descriptor_set_byte_count()))
  }
}
