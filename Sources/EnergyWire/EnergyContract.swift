internal import CEnergyProto

/// The contract as data.
package enum EnergyContract {
  /// A serialised google.protobuf.FileDescriptorSet: energykit.v1, google.rpc, which errors carry, and what they import.
  package static var descriptorSet: [UInt8] {
    Array(UnsafeBufferPointer(start: energykit_descriptor_set(), count: energykit_descriptor_set_byte_count()))
  }
}
