import CGetopt
import Glibc

/// A command line, as getopt_long reads it: `--name value`, `--name=value`, unambiguous abbreviations, and words, in any
/// order. Not for two threads at once: getopt_long keeps its place in globals.
struct Words: Equatable {
  private(set) var words: [String] = []
  private(set) var values: [Flag: [String]] = [:]

  /// Above every character, so that the codes of long flags cannot be taken for `?` or `:`.
  private static let firstCode: CInt = 1000
  /// What getopt_long gives for a word.
  private static let wordCode: CInt = 1

  /// - Parameter arguments: With the program's name.
  init(_ arguments: [String]) throws(UsageError) {
    // getopt_long wants C strings that outlive the loop.
    var argv = arguments.map { strdup($0) } + [nil]
    let names = Flag.allCases.map { strdup($0.rawValue) }
    defer { for text in argv + names { free(text) } }
    let options = Self.options(names)

    energykit_getopt_reset()
    while true {
      let place = Int(energykit_getopt_place())
      // "-" gives words in their places; ":" tells a missing value from an unknown flag.
      let code = getopt_long(CInt(arguments.count), &argv, "-:", options, nil)
      if code == -1 { break }
      let value = energykit_getopt_value().map { String(cString: $0) }
      if code == Self.wordCode {
        words.append(value ?? "")
        continue
      }
      let given = arguments.indices.contains(place) ? arguments[place] : ""
      guard code != CInt(UInt8(ascii: ":")) else { throw UsageError("\(given) needs a value; see --help") }
      let index = Int(code - Self.firstCode)
      guard Flag.allCases.indices.contains(index) else {
        throw UsageError("\(given): no such flag, or a value where none is taken; see --help")
      }
      try take(Flag.allCases[index], value ?? "")
    }
    // What follows "--".
    words += arguments.dropFirst(Int(energykit_getopt_place()))
  }

  private mutating func take(_ flag: Flag, _ value: String) throws(UsageError) {
    if !flag.isRepeatable, values[flag] != nil { throw UsageError("--\(flag.rawValue) is given twice") }
    values[flag, default: []].append(value)
  }

  private static func options(_ names: [UnsafeMutablePointer<CChar>?]) -> [option] {
    var options: [option] = []
    for (index, flag) in Flag.allCases.enumerated() {
      options.append(
        option(
          name: names[index], has_arg: flag.placeholder == nil ? no_argument : required_argument, flag: nil,
          val: firstCode + CInt(index)))
    }
    options.append(option())
    return options
  }
}
