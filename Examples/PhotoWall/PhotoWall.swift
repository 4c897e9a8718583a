#if Combine && TestKit
  import Combine
  import Foundation
  import HeadlessUIKit
  import URLLoadingTestKit

  /// Loads photos from a server of its own, lays them out by host, and writes the wall as PNG and as SVG.
  ///
  ///     PhotoWall [COUNT [FOLDER]]
  @MainActor @main enum PhotoWall {
    static func main() async throws {
      let arguments = Array(CommandLine.arguments.dropFirst())
      let count = arguments.first.flatMap { Int($0) } ?? 11
      let folder = URL(filePath: arguments.dropFirst().first ?? ".", directoryHint: .isDirectory)
      guard arguments.count <= 2, (1...500).contains(count) else {
        print("usage: PhotoWall [COUNT [FOLDER]]   (1 to 500 photos)")
        exit(64)
      }
      let server = try await TestServer.start()
      Gallery.serve(server)
      let (urls, stalled) = Gallery.urls(count, of: server)
      let loader = PhotoLoader()

      // A load that nobody needs any more is cancelled.
      let hanging = stalled.map { loader.session.dataTaskPublisher(for: $0).sink(receiveCompletion: { _ in }, receiveValue: { _ in }) }

      let arrivals = NotificationCenter.default.publisher(for: PhotoLoader.photoHasArrived)
        .scan(0) { total, _ in total + 1 }
        .sink { if $0.isMultiple(of: 5) { print("\($0) photos have arrived") } }
      let photos = await load(urls, loader)
      print("loaded \(photos.count) of \(urls.count), \(Int(loader.progress.fractionCompleted * 100)) % of the work done")
      let again = await load(urls, loader)
      print("loaded once more: \(again.count(where: \.isCached)) of \(again.count) from the cache")
      hanging?.cancel()
      arrivals.cancel()
      loader.session.finishTasksAndInvalidate()
      await server.shutdown()

      let wall = Wall(photos)
      let view = wall.view(width: 680)
      let renderer = UIGraphicsImageRenderer(bounds: view.bounds)
      for (name, data) in [
        ("wall.png", renderer.pngData { _ in view.drawHierarchy(in: view.bounds, afterScreenUpdates: true) }),
        ("wall.svg", renderer.svgData { _ in view.drawHierarchy(in: view.bounds, afterScreenUpdates: true) }),
      ] {
        try data.write(to: folder.appending(path: name))
        print("\(name): \(Int(view.bounds.width)) by \(Int(view.bounds.height)) points, \(data.count) bytes")
      }
    }

    private static func load(_ urls: [URL], _ loader: PhotoLoader) async -> [Photo] {
      var photos: [Photo] = []
      for await photo in loader.photos(urls).values { photos.append(photo) }
      return photos
    }
  }
#else
  @main enum PhotoWall {
    static func main() { print("Build it with the package's traits: swift run --traits Combine,TestKit PhotoWall") }
  }
#endif
