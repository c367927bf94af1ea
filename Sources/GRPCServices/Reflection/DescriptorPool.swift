internal import CGRPCProto

/// The .proto files that a server describes (G-126). Made once, shared by all loops.
package final class DescriptorPool: Sendable {
  private let files: [DescriptorFile]
  private let byName: [String: Int]
  private let bySymbol: [String: Int]
  private let extensions: [String: [Int32: Int]]
  /// Of each file: itself and all that it imports, directly or not, each once.
  private let closures: [[Int]]

  /// Health, reflection and google/protobuf/descriptor.proto.
  package static let standardSet = Array(
    UnsafeBufferPointer(
      start: energykit_grpc_descriptor_set(), count: energykit_grpc_descriptor_set_byte_count()))

  /// - Parameter sets: Serialised google.protobuf.FileDescriptorSets, each complete in itself; of a file that is in
  ///   several, the first counts. They come from `proto/generate`: what cannot be read is a mistake of ours.
  package init(_ sets: [[UInt8]]) {
    var files: [DescriptorFile] = []
    var byName: [String: Int] = [:]
    for bytes in sets.flatMap(Self.files) {
      guard let file = DescriptorFile(bytes) else { preconditionFailure("a descriptor set holds what is no file") }
      guard byName[file.name] == nil else { continue }
      byName[file.name] = files.count
      files.append(file)
    }
    var bySymbol: [String: Int] = [:]
    var extensions: [String: [Int32: Int]] = [:]
    for (index, file) in files.enumerated() {
      for symbol in file.symbols { bySymbol[symbol] = index }
      for each in file.extensions { extensions[each.type, default: [:]][each.number] = index }
    }
    closures = files.indices.map { Self.closure(of: $0, in: files, byName) }
    self.files = files
    self.byName = byName
    self.bySymbol = bySymbol
    self.extensions = extensions
  }

  var fileCount: Int { files.count }

  func file(named name: String) -> Int? { byName[name] }
  func file(defining symbol: String) -> Int? { bySymbol[symbol] }
  func file(extending type: String, number: Int32) -> Int? { extensions[type]?[number] }

  /// Ascending; `nil` where the type is not known.
  func extensionNumbers(of type: String) -> [Int32]? {
    guard bySymbol[type] != nil else { return nil }
    return extensions[type].map { $0.keys.sorted() } ?? []
  }

  func bytes(of file: Int) -> [UInt8] { files[file].bytes }
  /// The file first.
  func closure(of file: Int) -> [Int] { closures[file] }

  private static func closure(of file: Int, in files: [DescriptorFile], _ byName: [String: Int]) -> [Int] {
    var found = [file]
    var next = 0
    while next < found.count {
      for name in files[found[next]].imports {
        guard let index = byName[name] else { preconditionFailure("a descriptor set lacks an imported file") }
        if !found.contains(index) { found.append(index) }
      }
      next += 1
    }
    return found
  }

  /// The files of a set: its field 1, over and over.
  private static func files(of set: [UInt8]) -> [[UInt8]] {
    var files: [[UInt8]] = []
    var rest = set[...]
    while let tag = rest.popFirst() {
      var length = 0
      var shift = 0
      while let byte = rest.popFirst(), shift < 32 {
        length |= Int(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      precondition(tag == 0x0A && length <= rest.count, "a descriptor set is cut or garbled")
      files.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return files
  }
}
