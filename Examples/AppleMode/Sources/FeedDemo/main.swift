import Feed
import Foundation

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: FeedDemo BASE-URL")
  exit(64)
}

var failures = 0
func check(_ name: String, _ isRight: Bool) {
  print(isRight ? "passed: \(name)" : "FAILED: \(name)")
  if !isRight { failures += 1 }
}

let url = base.appendingPathComponent("bytes/321")
let loader = FeedLoader()
check("URLSession loads", try await loader.load(url).count == 321)
check("the lock of Darwin's counts", loader.loads == 1)
check("NSURLConnection loads on its delegate queue", LegacyFeed().load(URLRequest(url: url)).count == 321)
let (data, response) = try LegacyFeed.loadNow(URLRequest(url: url))
check("NSURLConnection loads synchronously", data.count == 321 && (response as? HTTPURLResponse)?.statusCode == 200)
check(
  "CryptoKit digests",
  Fingerprint.of(Data("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
print("\(5 - failures) passed, \(failures) failed")
exit(failures == 0 ? 0 : 1)
