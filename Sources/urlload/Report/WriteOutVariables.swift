import Foundation
import URLLoadingSystem

// Computes the variables of `-w`: times, sizes, counts and names.

extension LoadReport {
  /// The values of the variables for the ended load, as curl's manual defines them.
  var values: WriteOutValues {
    var values = WriteOutValues()
    let transactions = metrics?.transactionMetrics ?? []
    let (first, last) = (transactions.first, transactions.last)
    // A request on a connection that is used again has no times of connecting: those of the connection's first request count.
    let connected = transactions.last { $0.connectEndDate != nil }
    // Without a response, as where the server that a redirect leads to can't be reached, the URL is that of the last request.
    let url = response?.url ?? last?.request.url ?? request?.url
    let http = response as? HTTPURLResponse
    let origin = metrics?.taskInterval.start
    func seconds(_ date: Date?) -> Double { origin.flatMap { date?.timeIntervalSince($0) }.map { max(0, $0) } ?? 0 }
    // Nothing comes over a network from file: and data: URLs: their size is that of the content.
    let isRead = url.map { ["file", "data"].contains($0.scheme?.lowercased()) } ?? false
    let body = isRead ? last?.countOfResponseBodyBytesAfterDecoding : last?.countOfResponseBodyBytesReceived
    let received = dropsBody ? 0 : segments?.received ?? body ?? 0
    let sent = copied?.count ?? transactions.reduce(Int64(0)) { $0 + $1.countOfRequestBodyBytesSent }
    let total = copied?.seconds ?? segments?.seconds ?? metrics?.taskInterval.duration ?? 0
    // As in curl, the status is that of the redirect where nothing comes from the server that it leads to.
    let code = (http ?? transactions.lazy.reversed().compactMap { $0.response as? HTTPURLResponse }.first)?.statusCode ?? 0
    values.set("url", target.url)
    values.set("urlnum", target.place)
    values.set("url_effective", url?.absoluteString ?? target.url)
    values.set("method", last?.request.httpMethod ?? request?.httpMethod ?? "GET")
    values.set("scheme", url?.scheme?.uppercased() ?? "")
    values.set("content_type", http?.value(forHTTPHeaderField: "Content-Type"))
    values.set("http_code", code, width: 3)
    values.set("response_code", code, width: 3)
    values.set(
      "http_version", last?.networkProtocolName.map { ["http/1.1": "1.1", "http/1.0": "1.0", "h2": "2", "h3": "3"][$0] ?? "0" } ?? "0")
    // Only redirects that were followed count: another request came after them.
    let redirects = transactions.dropLast().count { transaction in
      (transaction.response as? HTTPURLResponse).map { $0.statusCode / 100 == 3 && $0.statusCode != 304 } ?? false
    }
    values.set("num_redirects", redirects)
    values.set("num_retries", retries)
    values.set("num_connects", transactions.filter { !$0.isReusedConnection && $0.networkProtocolName != nil }.count)
    values.set("num_headers", http?.head.headers.entries.count ?? 0)
    values.set("redirect_url", redirect(http))
    values.set("remote_ip", last?.remoteAddress)
    values.set("remote_port", last?.remotePort ?? 0)
    values.set("local_ip", last?.localAddress)
    values.set("local_port", last?.localPort ?? 0)
    values.set("size_download", received)
    values.set("size_upload", sent)
    values.set("size_header", transactions.reduce(Int64(0)) { $0 + $1.countOfResponseHeaderBytesReceived })
    values.set("size_request", transactions.reduce(Int64(0)) { $0 + $1.countOfRequestHeaderBytesSent })
    values.set("speed_download", total > 0 ? Int64(Double(received) / total) : 0)
    values.set("speed_upload", total > 0 ? Int64(Double(sent) / total) : 0)
    values.set("time_namelookup", seconds: seconds(first?.domainLookupEndDate))
    values.set("time_connect", seconds: seconds(connected?.secureConnectionStartDate ?? connected?.connectEndDate))
    values.set("time_appconnect", seconds: seconds(connected?.secureConnectionEndDate))
    values.set("time_pretransfer", seconds: seconds(last?.requestStartDate))
    values.set("time_starttransfer", seconds: seconds(last?.responseStartDate))
    values.set("time_redirect", seconds: transactions.count > 1 ? seconds(last?.fetchStartDate) : 0)
    values.set("time_total", seconds: total)
    values.set("filename_effective", filename)
    values.set("errormsg", failure?.message)
    values.set("exitcode", Int(failure?.status.rawValue ?? 0))
    values.set("ssl_verify_result", failure?.status == .certificateRefused ? 1 : 0)
    values.set("referer", request?.value(forHTTPHeaderField: "Referer"))
    values.headers = http?.head.headers.entries.map { ($0.name, $0.value) } ?? []
    values.hasFailed = failure != nil
    return values
  }

  /// The URL that a redirect leads to which wasn't followed; nil if the response isn't one.
  private func redirect(_ response: HTTPURLResponse?) -> String? {
    guard let response, (300..<400).contains(response.statusCode), let location = response.value(forHTTPHeaderField: "Location") else {
      return nil
    }
    return URL(string: location, relativeTo: response.url)?.absoluteString
  }
}
