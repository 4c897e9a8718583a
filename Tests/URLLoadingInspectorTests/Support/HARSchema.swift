#if Inspector
  /// What HAR 1.2 demands (http://www.softwareishard.com/blog/har-12-spec/, and the JSON schema of ahmadnassri/har-schema 2.0), as far as this
  /// package writes it.
  enum HARSchema {
    private static func isDate(_ value: Any) -> Bool {
      (value as? String)?.wholeMatch(of: #/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+(Z|[+-]\d{2}:\d{2})/#) != nil
    }

    /// What is wrong with a log; empty where it is valid.
    static func problems(_ log: [String: Any]) -> [String] {
      var problems: [String] = []
      func need(_ object: [String: Any], _ path: String, _ names: [String: (Any) -> Bool]) {
        for (name, isValid) in names where object[name].map({ !isValid($0) }) ?? true { problems.append("\(path).\(name)") }
      }
      func isText(_ value: Any) -> Bool { value is String }
      func isWhole(_ value: Any) -> Bool { value is Int }
      func isTime(_ value: Any) -> Bool { (value as? Double).map { $0 >= -1 } ?? false }
      func isPairs(_ value: Any) -> Bool {
        (value as? [[String: Any]])?.allSatisfy { $0["name"] is String && $0["value"] is String } ?? false
      }
      need(
        log, "log",
        ["version": isText, "creator": { ($0 as? [String: Any])?["name"] is String && ($0 as? [String: Any])?["version"] is String }])
      for (index, entry) in (log["entries"] as? [[String: Any]] ?? []).enumerated() {
        let path = "entries[\(index)]"
        need(
          entry, path,
          [
            "startedDateTime": isDate, "time": { ($0 as? Double).map { $0 >= 0 } ?? false },
            "request": { $0 is [String: Any] }, "response": { $0 is [String: Any] }, "cache": { $0 is [String: Any] },
            "timings": { $0 is [String: Any] },
          ])
        func isAddress(_ value: Any) -> Bool { (value as? String)?.wholeMatch(of: #/[0-9A-Fa-f:.]+/#) != nil }
        for (name, isValid) in ["serverIPAddress": isAddress, "connection": isText] where entry[name].map({ !isValid($0) }) ?? false {
          problems.append("\(path).\(name)")
        }
        need(
          entry["request"] as? [String: Any] ?? [:], "\(path).request",
          [
            "method": isText, "url": isText, "httpVersion": isText, "cookies": isPairs, "headers": isPairs, "queryString": isPairs,
            "headersSize": isWhole, "bodySize": isWhole,
          ])
        let response = entry["response"] as? [String: Any] ?? [:]
        need(
          response, "\(path).response",
          [
            "status": isWhole, "statusText": isText, "httpVersion": isText, "cookies": isPairs, "headers": isPairs, "redirectURL": isText,
            "headersSize": isWhole, "bodySize": isWhole, "content": { $0 is [String: Any] },
          ])
        need(response["content"] as? [String: Any] ?? [:], "\(path).content", ["size": isWhole, "mimeType": isText])
        let timings = entry["timings"] as? [String: Any] ?? [:]
        need(timings, "\(path).timings", ["send": isTime, "wait": isTime, "receive": isTime])
        let sum = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { timings[$0] as? Double }.filter { $0 > 0 }.reduce(
          0, +)
        if let time = entry["time"] as? Double, abs(time - sum) > 0.01 { problems.append("\(path).time is \(time), not \(sum)") }
        if let data = (entry["request"] as? [String: Any])?["postData"] as? [String: Any] {
          need(data, "\(path).postData", ["mimeType": isText, "text": isText])
        }
      }
      return problems
    }
  }
#endif
