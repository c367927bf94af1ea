import EnergyModel
import Testing

@Suite struct `A quantity` {
  @Test func `of energy is 0 and more, below 1 TWh`() {
    #expect(Energy(milliwattHours: 0) == .zero)
    #expect(Energy(milliwattHours: 999_999_999_999_999)?.milliwattHours == 999_999_999_999_999)
    for refused in [-1, 1_000_000_000_000_000, .min, .max] as [Int64] {
      #expect(Energy(milliwattHours: refused) == nil)
    }
  }

  @Test func `of power is 0 and more, below 1 GW`() {
    #expect(Power(milliwatts: 0) == .zero)
    #expect(Power(milliwatts: 999_999_999_999)?.milliwatts == 999_999_999_999)
    for refused in [-1, 1_000_000_000_000, .min, .max] as [Int64] { #expect(Power(milliwatts: refused) == nil) }
  }

  @Test func `in percent is 0...100`() {
    #expect((0...100).allSatisfy { Percent($0)?.value == UInt8($0) })
    for refused in [-1, 101, .min, .max] as [Int32] { #expect(Percent(refused) == nil) }
  }

  @Test func `that rates is 0...1`() {
    for value in [0, 0.5, 1] { #expect(Rating(value)?.value == value) }
    for refused in [-0.001, 1.001, .nan, .infinity, -.infinity] { #expect(Rating(refused) == nil) }
  }

  @Test func `is ordered by its number`() throws {
    #expect(try #require(Energy(milliwattHours: 1)) < #require(Energy(milliwattHours: 2)))
    #expect(try #require(Power(milliwatts: 1)) < #require(Power(milliwatts: 2)))
    #expect(try #require(Percent(1)) < #require(Percent(2)))
    #expect(try #require(Rating(0.1)) < #require(Rating(0.2)))
    #expect(
      DataQuality.measured < .forecast && DataQuality.forecast < .estimated && DataQuality.estimated < .climatology)
  }
}

@Suite struct `A timestamp` {
  @Test(arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)])
  func `falls in the second before it`(milliseconds: Int64, seconds: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
  }

  @Test func `saturates instead of trapping`() {
    #expect(Timestamp(milliseconds: .max).advanced(byMilliseconds: 1).milliseconds == .max)
    #expect(Timestamp(milliseconds: .min).advanced(byMilliseconds: -1).milliseconds == .min)
    #expect(Timestamp(milliseconds: 0).advanced(bySeconds: .max).milliseconds == .max)
    #expect(Timestamp(milliseconds: 0).advanced(bySeconds: .min).milliseconds == .min)
    #expect(Timestamp(milliseconds: .max).milliseconds(since: Timestamp(milliseconds: .min)) == .max)
    #expect(Timestamp(milliseconds: .min).milliseconds(since: Timestamp(milliseconds: .max)) == .min)
    #expect(Timestamp(milliseconds: .min).floored(toMultipleOf: 1000).milliseconds == .min)
  }

  @Test(
    arguments: [(0, 0), (1, 0), (999, 0), (1000, 1000), (-1, -1000), (-1000, -1000), (-1001, -2000)] as [(Int64, Int64)]
  )
  func `is floored towards the past`(milliseconds: Int64, floor: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).floored(toMultipleOf: 1000).milliseconds == floor)
  }

  @Test func `spans what the wire can carry`() {
    #expect(Timestamp.earliest.seconds == -62_135_596_800)
    #expect(Timestamp.latest.milliseconds == 253_402_300_799_999)
  }
}

@Suite struct `An interval` {
  private func interval(_ start: Int64, _ end: Int64) throws -> Interval {
    try #require(Interval(start: Timestamp(milliseconds: start), end: Timestamp(milliseconds: end)))
  }

  @Test func `holds its start and not its end`() throws {
    let interval = try interval(10, 20)
    #expect(interval.contains(Timestamp(milliseconds: 10)))
    #expect(interval.contains(Timestamp(milliseconds: 19)))
    #expect(!interval.contains(Timestamp(milliseconds: 20)))
    #expect(interval.milliseconds == 10)
  }

  @Test func `may be empty but not reversed`() throws {
    #expect(try interval(5, 5).isEmpty)
    #expect(try !interval(5, 5).contains(Timestamp(milliseconds: 5)))
    #expect(Interval(start: Timestamp(milliseconds: 6), end: Timestamp(milliseconds: 5)) == nil)
    #expect(Interval(start: Timestamp(milliseconds: 6), milliseconds: -3).isEmpty)
  }

  @Test func `has something in common with another, or nothing`() throws {
    let interval = try interval(10, 20)
    #expect(try interval.intersection(self.interval(15, 30)) == self.interval(15, 20))
    #expect(try interval.intersection(self.interval(0, 50)) == interval)
    #expect(try interval.intersection(self.interval(20, 30)) == nil)
    #expect(try interval.intersection(self.interval(0, 10)) == nil)
  }
}
