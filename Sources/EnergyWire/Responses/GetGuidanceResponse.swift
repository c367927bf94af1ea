package import FoundationEssentials
package import ProtobufWire

/// The current guidance for one caller, or nothing where the caller holds it already.
package struct GetGuidanceResponse: ResponseMessage, WireMessage {
  package let guidance: Guidance?

  package struct Guidance {
    package let prefix: GuidancePrefix
    /// From `GuidanceSuffix.encode`.
    package let suffix: [UInt8]
    /// From `GuidanceExplanations.encode`; empty where none were asked for.
    package let explanations: [UInt8]

    package init(token: UUID, venueID: UUID, suffix: [UInt8], explanations: [UInt8] = []) {
      prefix = GuidancePrefix(token: token, venueID: venueID)
      self.suffix = suffix
      self.explanations = explanations
    }
  }

  package init(_ guidance: Guidance?) {
    self.guidance = guidance
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    guard let guidance else { return }
    guidance.prefix.encode(before: guidance.suffix.count, to: &sink)
    guidance.suffix.withUnsafeBytes { sink.append($0) }
    guidance.explanations.withUnsafeBytes { sink.append($0) }
  }
}
