import EnergyModel
import LocalTime
import Testing

@Suite struct `A local clock` {
  let losAngeles = LocalClock(timeZone: "America/Los_Angeles")

  private func moment(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) throws -> Timestamp {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    return Timestamp(seconds: Int64(try #require(CivilTime(date: date, hour: hour, minute: minute)).secondsSince1970))
  }

  @Test(arguments: ["UTC", "America/Los_Angeles", "America/Indiana/Indianapolis", "Asia/Kolkata", "Etc/GMT+7"])
  func `knows the names of the IANA database`(name: String) {
    #expect(LocalClock(timeZone: name)?.timeZone == name)
  }

  @Test(arguments: ["", "PST", "GMT+3", "Mars/Olympus", "america/los_angeles", "America/Los_Angeles\0x", "/", "../UTC"])
  func `refuses every other name`(name: String) {
    #expect(LocalClock(timeZone: name) == nil)
  }

  @Test func `follows daylight saving time`() throws {
    let clock = try #require(losAngeles)
    #expect(clock.time(at: try moment(2024, 3, 10, 9, 59)).hour == 1)
    #expect(clock.time(at: try moment(2024, 3, 10, 10)).hour == 3)
    #expect(clock.time(at: try moment(2024, 11, 3, 8, 30)).hour == 1)
    #expect(clock.time(at: try moment(2024, 11, 3, 9, 30)).hour == 1)
  }

  @Test func `finds no moment in the skipped hour and two in the repeated one`() throws {
    let clock = try #require(losAngeles)
    let skipped = CivilTime(date: try #require(CivilDate(year: 2024, month: 3, day: 10)), hour: 2, minute: 30)
    let repeated = CivilTime(date: try #require(CivilDate(year: 2024, month: 11, day: 3)), hour: 1)
    let plain = CivilTime(date: try #require(CivilDate(year: 2024, month: 7, day: 4)), hour: 12)
    #expect(clock.moments(of: try #require(skipped)) == [])
    #expect(try clock.moments(of: #require(repeated)) == [moment(2024, 11, 3, 8), moment(2024, 11, 3, 9)])
    #expect(try clock.moments(of: #require(plain)) == [moment(2024, 7, 4, 19)])
  }

  @Test(arguments: [(3, 10, 23), (3, 11, 24), (11, 3, 25), (11, 4, 24)])
  func `has days of 23, 24 and 25 hours`(month: Int, day: Int, hours: Int64) throws {
    let clock = try #require(losAngeles)
    let start = clock.start(of: try #require(CivilDate(year: 2024, month: month, day: day)))
    let noon = start.advanced(bySeconds: 12 * 3600)
    #expect(clock.midnight(before: noon) == start)
    let next = clock.midnight(before: noon, daysEarlier: -1)
    #expect(next.milliseconds(since: start) == hours * 3_600_000)
  }

  @Test func `starts a day without a midnight at its first moment`() throws {
    let clock = try #require(LocalClock(timeZone: "America/Santiago"))  // sprang at 00:00 on 2023-09-03
    let start = clock.start(of: try #require(CivilDate(year: 2023, month: 9, day: 3)))
    #expect(try start == moment(2023, 9, 3, 4))
    #expect(clock.time(at: start).hour == 1)
  }

  @Test func `strikes the hour also where it lies half an hour off`() throws {
    let clock = try #require(LocalClock(timeZone: "Asia/Kolkata"))
    #expect(try clock.nextHour(after: moment(2024, 1, 1, 0)) == moment(2024, 1, 1, 0, 30))
    #expect(try clock.nextHour(after: moment(2024, 1, 1, 0, 30)) == moment(2024, 1, 1, 1, 30))
  }

  @Test(arguments: [
    Timestamp(milliseconds: .min), .earliest, Timestamp(seconds: 0), .latest, Timestamp(milliseconds: .max),
  ])
  func `survives any moment`(moment: Timestamp) throws {
    let clock = try #require(losAngeles)
    _ = clock.time(at: moment)
    _ = clock.midnight(before: moment, daysEarlier: 28)
    _ = clock.nextHour(after: moment)
  }

  @Test func `works in an operator's UTC region`() throws {
    #expect(try LocalClock.utc.midnight(before: moment(2024, 5, 5, 23, 59)) == moment(2024, 5, 5, 0))
  }
}

@Suite struct `A civil date` {
  @Test(arguments: [
    (1970, 1, 1, 0), (2000, 2, 29, 11_016), (2023, 6, 10, 19_518), (1969, 12, 31, -1), (1, 1, 1, -719_162),
  ])
  func `counts days from 1970`(year: Int, month: Int, day: Int, days: Int) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == days)
    #expect(CivilDate(daysSince1970: days) == date)
  }

  @Test(arguments: [
    (2023, 2, 29), (1900, 2, 29), (2023, 13, 1), (2023, 0, 1), (2023, 4, 31), (0, 1, 1), (10_000, 1, 1),
  ])
  func `exists or is refused`(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func `comes back from its day number for five centuries`() {
    for days in -100_000..<100_000 {
      let date = CivilDate(daysSince1970: days)
      guard date.daysSince1970 == days, CivilDate(year: date.year, month: date.month, day: date.day) == date else {
        Issue.record("day \(days) became \(date)")
        return
      }
    }
  }

  @Test func `is at the weekend on Saturday and Sunday`() {
    // 2023-06-10 was a Saturday.
    let week = (19_518..<19_525).map { CivilDate(daysSince1970: $0).isWeekend }
    #expect(week == [true, true, false, false, false, false, false])
    #expect(CivilDate(daysSince1970: -4).isWeekend)  // 1969-12-28, a Sunday
  }
}

@Suite struct `The zone of a grid region` {
  @Test(arguments: ["CISO", "ERCO", "PJM", "AZPS", "PSCO", "HECO", "AMPL", "MY-GRID"])
  func `is one that exists`(region: String) {
    #expect(LocalClock(timeZone: GridRegionZone.timeZone(ofRegion: region)) != nil)
  }
}
