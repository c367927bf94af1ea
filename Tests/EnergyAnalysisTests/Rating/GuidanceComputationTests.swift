import EnergyModel
import Testing

@testable import EnergyAnalysis

private let now = utc(2023, 6, 18)
/// 100...199 over and over, 25 days of it.
private let usual = measured((0..<600).map { Double(100 + $0 % 100) }, until: now)

private func rate(_ input: RatingInput) throws -> RatedForecast { try GuidanceComputation.rate(input).get() }

private func failure(_ input: RatingInput) -> RatingFailure? {
  switch GuidanceComputation.rate(input) {
  case .success: nil
  case .failure(let failure): failure
  }
}

@Suite struct `The horizon of guidance` {
  @Test func `begins with the interval that is current at issue`() throws {
    let late = now.advanced(byMilliseconds: 47 * minute)
    let rated = try rate(
      input(forecast: forecast((0..<30).map { Double(100 + $0) }, from: now), measured: usual, now: late))
    #expect(rated.slots.first?.interval.start == now)
    #expect(rated.slots.last?.interval.end == now.advanced(byMilliseconds: 30 * hour))
  }

  @Test func `leaves out what is past`() throws {
    let rated = try rate(
      input(
        forecast: forecast((0..<30).map { Double(100 + $0) }, from: now), measured: usual,
        now: now.advanced(byMilliseconds: 3 * hour)))
    #expect(rated.slots.count == 27)
    #expect(rated.slots.first?.explanation.carbonIntensity == 103)
  }

  @Test func `reaches no further than 48 h`() throws {
    let rated = try rate(
      input(forecast: forecast((0..<72).map { Double(100 + $0) }, from: now), measured: usual, now: now))
    #expect(rated.slots.last?.interval.end == now.advanced(byMilliseconds: 48 * hour))
  }

  @Test func `of less than six hours is no guidance`() {
    let short = forecast([1, 2, 3, 4, 5], from: now)
    #expect(
      failure(input(forecast: short, measured: usual, now: now)) == .horizonTooShort(usableMilliseconds: 5 * hour))
  }

  @Test func `more than half of which is missing is no guidance`() {
    let values: [Double?] = (0..<24).map { $0 % 4 == 0 || $0 == 23 ? 100 : nil }
    guard
      case .tooManyGaps(let share) = failure(input(forecast: forecast(values, from: now), measured: usual, now: now))
    else {
      Issue.record("expected too many gaps")
      return
    }
    #expect(abs(share - 17.0 / 24) < 1e-9)
  }

  @Test func `is interpolated over an hour`() throws {
    var values: [Double?] = [Double?](repeating: 120, count: 24)
    values[5] = nil
    values[6] = 140
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: now))
    #expect(rated.slots.count == 24)
    #expect(rated.slots[5].explanation.carbonIntensity == 130)
    #expect(rated.slots[5].explanation.quality == .estimated)
    #expect(rated.slots[4].explanation.quality == .forecast)
  }

  @Test func `is interpolated in steps of five minutes`() throws {
    var values: [Double?] = [Double?](repeating: 100, count: 12 * 8)
    for index in 24..<27 { values[index] = nil }
    for index in 27..<values.count { values[index] = 180 }
    let rated = try rate(input(forecast: forecast(values, from: now, step: 5 * minute), measured: usual, now: now))
    let filled = rated.slots.filter { $0.explanation.quality == .estimated }
    #expect(filled.map { $0.interval.milliseconds } == [5 * minute, 5 * minute, 5 * minute])
    #expect(filled.map { $0.explanation.carbonIntensity } == [120, 140, 160])
  }

  /// Every hour of the reference has its hour's number as value; the gap's ratings are drawn half-way to ½.
  @Test func `has the usual value of the hour over up to six hours`() throws {
    let byHour = measured((0..<672).map { Double($0 % 24) * 10 }, until: now)
    let values: [Double?] = (0..<24).map { (8..<12).contains($0) ? nil : 100 }
    let rated = try rate(input(.reduce, forecast: forecast(values, from: now), measured: byHour, now: now))
    let filled = rated.slots.filter { $0.explanation.quality == .climatology }
    #expect(filled.map { $0.explanation.carbonIntensity } == [80, 90, 100, 110])
    // F_R(80) = 8.5/24; half-way to ½.
    #expect(abs(filled[0].rating - (0.5 + (8.5 / 24 - 0.5) / 2)) < 0.0006)
    #expect(rated.slots.count == 24)
  }

  @Test func `has a hole where more than six hours are missing`() throws {
    let values: [Double?] = (0..<24).map { (8..<15).contains($0) ? nil : 100 }
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: now))
    #expect(rated.slots.count == 17)
    let merged = rated.content.values
    #expect(merged.map { $0.interval.milliseconds / hour } == [8, 9])
    #expect(merged[1].interval.start == now.advanced(byMilliseconds: 15 * hour))
  }

  @Test func `counts from now where the forecast begins later`() throws {
    let later = now.advanced(byMilliseconds: 2 * hour)
    let rated = try rate(
      input(
        forecast: forecast([Double?](repeating: 100, count: 24), from: later, issued: now), measured: usual,
        now: now.advanced(byMilliseconds: 10 * minute)))
    #expect(rated.slots.first?.interval.start == now)
    #expect(rated.slots.first?.explanation.quality == .climatology)
    #expect(rated.slots.count == 26)
  }

  @Test func `refuses negative carbon as it does missing values`() throws {
    var values: [Double?] = [Double?](repeating: 120, count: 24)
    values[5] = -3
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: now))
    #expect(rated.slots[5].explanation.quality == .estimated)
    #expect(rated.slots[5].explanation.carbonIntensity == 120)
  }

  @Test func `takes the first of points that overlap, in any order`() throws {
    let good = points((0..<24).map { Double(100 + $0) }, from: now)
    let overlapping = points([500], from: now.advanced(byMilliseconds: 90 * minute))
    let signal = GridSignal(
      key: testKey, isMeasured: false, issueTime: now, points: (overlapping + good).reversed())
    let rated = try rate(input(forecast: signal, measured: usual, now: now))
    #expect(rated.slots.count == 24)
    #expect(rated.slots.allSatisfy { ($0.explanation.carbonIntensity ?? 500) < 200 })
  }

  @Test func `of mixed steps weighs values by their time`() throws {
    // One hour in twelve steps of 100, then 23 hours of 101...123: the same ranks as 24 plain hours.
    let fine = points([Double?](repeating: 100, count: 12), from: now, step: 5 * minute)
    let coarse = points((1..<24).map { Double(100 + $0) }, from: now.advanced(byMilliseconds: hour))
    let mixed = GridSignal(key: testKey, isMeasured: false, issueTime: now, points: fine + coarse)
    let plain = forecast((0..<24).map { Double(100 + $0) }, from: now)
    let a = try rate(input(forecast: mixed, measured: usual, now: now))
    let b = try rate(input(forecast: plain, measured: usual, now: now))
    #expect(a.slots[12...].map { $0.explanation.horizonRank } == b.slots[1...].map { $0.explanation.horizonRank })
    #expect(a.slots[0].explanation.horizonRank == b.slots[0].explanation.horizonRank)
  }
}

@Suite struct `The reference of guidance` {
  @Test func `ends at the last midnight of the region and has 28 days`() {
    let window = ReferenceWindow.interval(gridRegion: "CISO", now: utc(2023, 6, 18, 6, 59))
    #expect(window.start == utc(2023, 5, 20, 7))
    #expect(window.end == utc(2023, 6, 17, 7))
    #expect(ReferenceWindow.interval(gridRegion: "MY-OWN", now: utc(2023, 6, 18, 6, 59)).end == utc(2023, 6, 18))
  }

  @Test(arguments: [(utc(2024, 3, 20), 671), (utc(2024, 11, 20), 673), (utc(2024, 7, 1), 672)] as [(Timestamp, Int64)])
  func `has local days also when the clocks change`(moment: Timestamp, hours: Int64) {
    let window = ReferenceWindow.interval(gridRegion: "ERCO", now: moment)
    #expect(window.milliseconds == hours * hour)
  }

  @Test func `does not see values of today or of five weeks ago`() throws {
    let noon = now.advanced(byMilliseconds: 12 * hour)
    let old = points([9999], from: now.advanced(byMilliseconds: -35 * 24 * hour), quality: .measured)
    let today = points([Double?](repeating: 9999, count: 12), from: now, quality: .measured)
    let signal = GridSignal(key: testKey, isMeasured: true, issueTime: noon, points: old + usual.points + today)
    let values = (0..<24).map { Double(100 + $0) }
    let a = try rate(input(forecast: forecast(values, from: noon), measured: signal, now: noon))
    let b = try rate(input(forecast: forecast(values, from: noon), measured: usual, now: noon))
    #expect(a.slots == b.slots)
  }

  @Test func `is never of another kind or model`() throws {
    let other = SignalKey(gridRegion: "TEST", kind: .carbonMarginal, model: "test-1")
    let values = (0..<24).map { Double(100 + $0) }
    let rated = try rate(
      input(
        .reduce, forecast: forecast(values, from: now),
        measured: GridSignal(key: other, isMeasured: true, issueTime: now, points: usual.points), now: now))
    #expect(rated.slots.allSatisfy { $0.explanation.quality == .estimated })
    // Ranked within itself.
    #expect(rated.slots.map { $0.explanation.referenceRank } == rated.slots.map { $0.explanation.horizonRank })
  }

  @Test func `of five-minute values is averaged to the hours of the forecast`() throws {
    let hourly = (0..<600).map { Double(100 + $0 % 100) }
    let fiveMinuteValues: [Double] = hourly.flatMap { mean in (0..<12).map { $0 % 2 == 0 ? mean + 9 : mean - 9 } }
    let fine = measured(fiveMinuteValues, until: now, step: 5 * minute)
    let values = (0..<24).map { Double(100 + $0) }
    let a = try rate(input(forecast: forecast(values, from: now), measured: fine, now: now))
    let b = try rate(input(forecast: forecast(values, from: now), measured: usual, now: now))
    #expect(a.slots.map(\.rating) == b.slots.map(\.rating))
  }

  @Test func `of less than seven days gives way to climatology`() throws {
    let climatology = try #require(
      Climatology(key: testKey, timeZone: "UTC", hourlyMeans: (0..<24).map { Double(100 + $0) }))
    let short = measured([Double?](repeating: 1000, count: 160), until: now)
    let values = (0..<24).map { Double(100 + $0) }
    let rated = try rate(
      input(.reduce, forecast: forecast(values, from: now), measured: short, now: now, climatology: climatology))
    #expect(rated.slots.allSatisfy { $0.explanation.quality == .climatology })
    #expect(abs(rated.slots[0].rating - 0.5 / 24) < 0.0006)
    let full = try rate(
      input(
        .reduce, forecast: forecast(values, from: now),
        measured: measured([Double?](repeating: 1000, count: 168), until: now), now: now, climatology: climatology))
    #expect(full.slots.allSatisfy { $0.explanation.quality == .forecast && $0.rating == 0 })
  }

  @Test func `is what little there is where no climatology is known`() throws {
    let short = measured([90, 100, 110, 120], until: now)
    let rated = try rate(
      input(.reduce, forecast: forecast([Double?](repeating: 115, count: 24), from: now), measured: short, now: now))
    #expect(rated.slots.allSatisfy { $0.rating == 0.75 && $0.explanation.quality == .estimated })
  }
}

@Suite struct `A forecast that is late or absent` {
  private let values: [Double?] = (0..<48).map { Double(100 + $0) }

  @Test(arguments: [(6, .forecast), (7, .estimated), (24, .estimated)] as [(Int64, DataQuality)])
  func `is used with a flag for a day`(age: Int64, quality: DataQuality) throws {
    let moment = now.advanced(byMilliseconds: age * hour)
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: moment))
    #expect(rated.slots.allSatisfy { $0.explanation.quality == quality })
  }

  @Test func `gives way to the usual hours after a day`() throws {
    let moment = now.advanced(byMilliseconds: 25 * hour)
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: moment))
    #expect(rated.slots.allSatisfy { $0.explanation.quality == .climatology })
    #expect(rated.slots.count == 48)
  }

  @Test func `is replaced by the week's means at half-way to yesterday's level`() throws {
    // Six days of 100, one of 170: the mean is 110, yesterday is 60 above it, so 110 + 30.
    let week = measured((0..<168).map { $0 < 144 ? 100 : 170 }, until: now)
    let rated = try rate(input(forecast: nil, measured: week, now: now))
    #expect(rated.slots.count == 48)
    #expect(rated.slots.allSatisfy { abs(($0.explanation.carbonIntensity ?? 0) - 140) < 1e-9 })
    #expect(rated.slots.allSatisfy { $0.explanation.quality == .climatology })
  }

  @Test func `is replaced by climatology where nothing was measured`() throws {
    let climatology = try #require(
      Climatology(key: testKey, timeZone: "America/Chicago", hourlyMeans: (0..<24).map { Double(100 + $0) }))
    let rated = try rate(input(.reduce, forecast: nil, measured: nil, now: now, climatology: climatology))
    // Midnight UTC in June is 19 h in Chicago.
    #expect(rated.slots.first?.explanation.carbonIntensity == 119)
    #expect(rated.slots.allSatisfy { $0.explanation.quality == .climatology })
  }

  @Test func `cannot be replaced by nothing`() {
    #expect(failure(input(forecast: nil, measured: nil, now: now)) == .noCarbonData)
    #expect(failure(input(forecast: nil, measured: measured([1, 2, 3], until: now), now: now)) == .noCarbonData)
  }

  @Test func `cannot be one of prices`() {
    let key = SignalKey(gridRegion: "TEST", kind: .price, model: "dam")
    #expect(
      failure(input(forecast: forecast(values, from: now, key: key), measured: nil, now: now)) == .wrongSignal(.price))
  }

  @Test func `is due again before it grows stale`() throws {
    let rated = try rate(input(forecast: forecast(values, from: now), measured: usual, now: now))
    #expect(rated.content.nextUpdateTime == now.advanced(byMilliseconds: 6 * hour + 1))
  }
}

@Suite struct `A grid event` {
  private let start = now.advanced(byMilliseconds: 19 * hour)

  @Test func `raises ratings to nine tenths and more`() throws {
    // As in the worked example: .867 becomes .987.
    let key = SignalKey(gridRegion: "TEST", kind: .carbonAverage, model: "test-1")
    let values = [Double?](repeating: 120, count: 24)
    let event = Interval(start: start, milliseconds: hour)
    let rated = try rate(
      input(.reduce, forecast: forecast(values, from: now, key: key), measured: usual, now: now, events: [event]))
    #expect(rated.slots[19].rating == (0.9 + 0.1 * 0.205 as Double).roundedToThousandths)
    #expect(rated.slots[19].explanation.isGridEvent)
    #expect(!rated.slots[18].explanation.isGridEvent)
    #expect(rated.slots[18].rating == 0.205)
  }

  @Test func `has its edges kept, also within an hour`() throws {
    let values = [Double?](repeating: 120, count: 24)
    let event = Interval(start: start.advanced(byMilliseconds: 10 * minute), milliseconds: 25 * minute)
    let content = try rate(
      input(forecast: forecast(values, from: now), measured: usual, now: now, events: [event])
    ).content
    #expect(content.values.count == 3)
    #expect(content.values[1].interval == event)
    #expect(content.explanations.map(\.isGridEvent) == [false, true, false])
  }
}
