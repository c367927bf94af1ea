import CGetopt
import Glibc

/// The flags of a command line, in order, as getopt_long reads them: `--name value`, `--name=value`, unambiguous
/// abbreviations. Not for two threads at once: getopt_long keeps its place in globals.
struct CommandLineFlags {
  private(set) var flags: [(setting: Setting, value: String)] = []

  /// Above every character, so that the codes of long flags cannot be taken for `?` or `:`.
  private static let firstCode: CInt = 1000

  init(_ arguments: [String]) throws(UsageError) {
    // getopt_long wants C strings that outlive the loop.
    var argv = arguments.map { strdup($0) } + [nil]
    let names = Setting.allCases.map { strdup($0.rawValue) }
    defer { for text in argv + names { free(text) } }
    let options = Self.options(names)

    energykit_getopt_reset()
    while true {
      let place = Int(energykit_getopt_place())
      // "+" ends at the first argument that is no flag; ":" tells a missing value from an unknown flag.
      let code = getopt_long(CInt(arguments.count), &argv, "+:", options, nil)
      if code == -1 { break }
      let given = arguments.indices.contains(place) ? arguments[place] : ""
      guard code != CInt(UInt8(ascii: ":")) else { throw UsageError("\(given) needs a value; see --help") }
      let index = Int(code - Self.firstCode)
      guard Setting.allCases.indices.contains(index) else {
        throw UsageError("\(given): no such flag, or a value where none is taken; see --help")
      }
      flags.append((Setting.allCases[index], energykit_getopt_value().map { String(cString: $0) } ?? ""))
    }
    let end = Int(energykit_getopt_place())
    if arguments.indices.contains(end) { throw UsageError("unexpected argument \"\(arguments[end])\"; see --help") }
  }

  private static func options(_ names: [UnsafeMutablePointer<CChar>?]) -> [option] {
    var options: [option] = []
    for (index, setting) in Setting.allCases.enumerated() {
      options.append(
        option(
          name: names[index], has_arg: setting.placeholder == nil ? no_argument : required_argument, flag: nil,
          val: firstCode + CInt(index)))
    }
    options.append(option())
    return options
  }
}
