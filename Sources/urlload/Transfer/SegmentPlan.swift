/// Divides a body into ranges that are loaded at the same time. Pure.
enum SegmentPlan {
  /// Shortest range in bytes: for less, a request costs more time than it saves.
  static let shortest: Int64 = 64 * 1024

  /// Divides the missing part into at most `count` ranges of about the same length; the existing part becomes a complete range.
  static func segments(total: Int64, present: Int64, count: Int) -> [PartRecord.Segment] {
    let missing = total - present
    let count = max(1, min(Int64(count), missing / shortest))
    var segments: [PartRecord.Segment] = []
    if present > 0 { segments.append(PartRecord.Segment(begin: 0, end: present, done: present)) }
    for index in 0..<count {
      let (begin, end) = (present + missing / count * index, index + 1 == count ? total : present + missing / count * (index + 1))
      if begin < end { segments.append(PartRecord.Segment(begin: begin, end: end)) }
    }
    return segments
  }

  /// Whether a record's segments cover the whole body in order, and the file is long enough for what they say is loaded.
  static func isSound(_ segments: [PartRecord.Segment], total: Int64, length: Int64) -> Bool {
    var end: Int64 = 0
    for segment in segments {
      guard segment.begin == end, segment.end > segment.begin, 0...(segment.end - segment.begin) ~= segment.done,
        segment.done == 0 || segment.begin + segment.done <= length
      else { return false }
      end = segment.end
    }
    return end == total && segments.count <= 1000
  }
}
