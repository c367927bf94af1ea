package import ProtobufWire

package struct ResolveGridRegionResponse: ResponseMessage, WireMessage {
  package let isSupported: Bool
  package let gridRegion: String
  package let timeZone: String
  package let basis: String

  package init(isSupported: Bool, gridRegion: String, timeZone: String, basis: String) {
    self.isSupported = isSupported
    self.gridRegion = gridRegion
    self.timeZone = timeZone
    self.basis = basis
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.bool(isSupported, 1)
    sink.string(gridRegion, 2)
    sink.string(timeZone, 3)
    sink.string(basis, 4)
  }
}
