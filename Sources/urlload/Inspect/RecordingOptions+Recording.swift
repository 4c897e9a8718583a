import Foundation
import URLLoadingInspector

#if Inspector
  extension RecordingOptions {
    /// Runs `loads` and records them, then writes the files of `--har`, `--report` and `--waterfall`, even if the loads fail.
    func record(_ loads: () async -> ExitStatus) async -> ExitStatus {
      guard har != nil || waterfall != nil || report != nil else { return await loads() }
      var options = URLSessionInspector.Options()
      options.maximumTransfers = 10_000
      let inspector = URLSessionInspector.recordAll(options)
      let status = await loads()
      do throws(ToolFailure) {
        _ = try writeAny(inspector.transfers.filter(\.isEnded))
      } catch {
        Console(tellsErrors: true).tell(error)
        return status == .success ? error.status : status
      }
      return status
    }
  }

  extension RecordingOptions {
    var isAny: Bool { har != nil || waterfall != nil || report != nil }

    /// Writes the files that the options name; returns whether they name any.
    func writeAny(_ transfers: [RecordedTransfer]) throws(ToolFailure) -> Bool {
      guard isAny else { return false }
      if let har { try RecordingFile.write(HARDocument.data(transfers), to: har) }
      if let report { try RecordingFile.write(ReportDocument.data(transfers, title: "urlload"), to: report) }
      if let waterfall { try RecordingFile.writeWaterfall(transfers, to: waterfall) }
      return true
    }
  }

  /// Reads and writes recordings as files.
  enum RecordingFile {
    static func write(_ data: Data, to path: String) throws(ToolFailure) {
      do {
        try PrivateFile.write(data, to: URL(filePath: path))
      } catch {
        throw ToolFailure(.writeFailed, "\(path) can't be written: \(error.localizedDescription)")
      }
    }

    static func writeWaterfall(_ transfers: [RecordedTransfer], to path: String) throws(ToolFailure) {
      guard let data = WaterfallFormat(of: path).flatMap({ WaterfallPicture(transfers).data($0) }) else {
        throw ToolFailure(.writeFailed, WaterfallFormat.advice)
      }
      try write(data, to: path)
    }

    static func read(_ path: String) throws(ToolFailure) -> [RecordedTransfer] {
      do {
        return try HARReading.transfers(Data(contentsOf: URL(filePath: path)))
      } catch let error as HARReading.Unreadable {
        throw ToolFailure(.readFailed, "\(path) can't be used: \(error)")
      } catch {
        throw ToolFailure(.readFailed, "\(path) can't be read: \(error.localizedDescription)")
      }
    }
  }
#else
  extension RecordingOptions {
    func record(_ loads: () async -> ExitStatus) async -> ExitStatus { await loads() }
  }
#endif
