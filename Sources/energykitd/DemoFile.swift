import EnergyModel
import FoundationEssentials

/// DIR/demo.json (docs/operating.md, The demonstration): all that a caller needs to try the demonstration.
struct DemoFile: Codable, Equatable {
  var address: String
  var adminKey: String
  var clients: [DemoClient]
  var venues: [DemoVenue]

  struct DemoClient: Codable, Equatable {
    var name: String
    var id: String
    var apiKey: String
    /// Apple's names.
    var entitlements: [String]

    enum CodingKeys: String, CodingKey {
      case name, id, entitlements
      case apiKey = "api_key"
    }
  }

  struct DemoVenue: Codable, Equatable {
    var name: String
    var id: String
    var gridRegion: String

    enum CodingKeys: String, CodingKey {
      case name, id
      case gridRegion = "grid_region"
    }
  }

  enum CodingKeys: String, CodingKey {
    case address, clients, venues
    case adminKey = "admin_key"
  }

  /// The file of an earlier start, whose ids and keys go on; `nil` on the first.
  static func read(_ path: String) throws(StartError) -> DemoFile? {
    guard let text = try SecretFile.read(path) else { return nil }
    do {
      return try JSONDecoder().decode(DemoFile.self, from: Data(text.utf8))
    } catch {
      throw StartError("\(path): not a demo.json of this program; remove it to begin anew")
    }
  }

  /// Writes nothing where the file says the same already: a full disk does not keep a server from starting again.
  func write(to path: String) throws(StartError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { throw StartError("\(path): cannot be encoded") }
    let text = String(decoding: data, as: UTF8.self) + "\n"
    if try SecretFile.read(path) != text { try SecretFile.write(text, to: path) }
  }
}
