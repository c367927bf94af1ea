/// Header fields of a call that are not gRPC's own, in order, repeats allowed (G-042...045).
package struct Metadata: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    /// `0-9 a-z _ - .`; ends in `-bin` where the value is binary.
    package let name: String
    /// Text as bytes 0x20...0x7E, or any bytes where the name ends in `-bin` (decoded, without base64).
    package let value: [UInt8]

    package init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  package var fields: [Field]

  package init(_ fields: [Field] = []) {
    self.fields = fields
  }
}
