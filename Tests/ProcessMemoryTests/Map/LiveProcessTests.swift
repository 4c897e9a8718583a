import Foundation
import Testing

@testable import ProcessMemory

@Suite(.timeLimit(.minutes(10))) struct LiveProcessTests {
  /// Eight threads with names, of which one runs without waiting; a thread that has ended, whose arena is free; large blocks; a mapped file
  /// and shared memory.
  private static let subject = """
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <fcntl.h>
    #include <unistd.h>
    static pthread_barrier_t started;
    static atomic_int spinning;
    static char zeroed[1 << 20];
    static void *worker(void *argument) {
      long number = (long)argument;
      char name[16];
      snprintf(name, sizeof name, "worker %ld", number);
      pthread_setname_np(pthread_self(), name);
      char *volatile block = malloc(1000);
      block[0] = 1;
      if (number == 9) { free(block); return 0; }
      if (number == 2) spinning = 1;
      pthread_barrier_wait(&started);
      if (number == 2) for (;;) { atomic_fetch_add(&spinning, 1); }
      pause();
      return block;
    }
    int main(int count, char **words) {
      pthread_t thread;
      pthread_barrier_init(&started, 0, 9);
      for (long number = 1; number <= 8; number++) pthread_create(&thread, 0, worker, (void *)number);
      pthread_barrier_wait(&started);
      pthread_create(&thread, 0, worker, (void *)9L);
      pthread_join(thread, 0);
      memset(zeroed, 1, sizeof zeroed);
      char *volatile large = malloc(5 << 20);
      memset(large, 1, 5 << 20);
      int file = open(words[1], O_RDWR);
      char *mapped = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      memset(mapped, 2, 8192);
      char *shared = mmap(0, 131072, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      memset(shared, 3, 131072);
      char *plain = mmap(0, 196608, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      memset(plain, 4, 196608);
      /* Other flags than its neighbours: the kernel joins adjacent mappings that are alike. */
      madvise(plain, 196608, MADV_DONTDUMP);
      if (count < 2 || file < 0 || mapped == MAP_FAILED) return 1;
      puts("ready");
      fflush(stdout);
      char byte;
      while (read(0, &byte, 1) > 0) {}
      return 7;
    }
    """

  /// Runs `body` with the subject's number and the path of the file that it maps.
  private func withSubject<Result>(_ body: (pid_t, String) throws -> Result) throws -> Result {
    let program = try CompiledProgram(LiveProcessTests.subject)
    let file = FileManager.default.temporaryDirectory.appending(path: "mapped-\(UUID().uuidString)")
    try Data(count: 65536).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (result, status) = try program.run(file.path) { try body($0, file.path) }
    #expect(status == 7)
    return result
  }

  @Test(.enabled(if: CompiledProgram.isPossible, Comment(rawValue: CompiledProgram.absence)))
  func stacksOfNamedThreadsAMappedFileAndAFreeArenaAreToldApart() throws {
    try withSubject { process, path in
      let map = try MemoryMap.read(process)
      #expect(map.unreadableLines == 0 && map.threads == 9 && map.name == "subject")
      // Eight threads and the main one have their stacks each; the ended thread's stack has none.
      var names: [String] = []
      for case .threads(let threads) in map.regions.filter({ $0.kind == .stack }).map(\.use) { names += threads.map(\.name) }
      #expect(names.sorted() == ["subject"] + (1...8).map { "worker \($0)" })
      #expect(map.regions.filter { $0.kind == .stack && $0.use == .unusedStack }.count == 1)
      #expect(map.regions.filter { $0.kind == .stackGuard }.allSatisfy { $0.region.usage.resident == 0 && $0.region.permissions.isNone })
      #expect(map.regions.filter { $0.kind == .stackGuard }.count >= 8)

      let file = try #require(map.regions.first { $0.region.name == path })
      #expect(file.kind == .mappedFile && file.region.size == 65536 && file.region.usage.resident >= 8192)
      #expect(map.regions.contains { $0.kind == .sharedMemory && $0.region.size == 131_072 && $0.region.usage.resident == 131_072 })
      #expect(map.regions.contains { $0.kind == .mallocGuard && $0.region.usage.resident == 0 })
      #expect(map.regions.contains { $0.kind == .malloc && $0.use == .mainHeap })

      let arenas = map.regions.filter { $0.kind == .malloc }.compactMap { mapped in
        if case .arena(_, let threads?) = mapped.use { threads } else { nil }
      }
      // The ended thread's arena may have been that of a thread before it, where there are few processors; then no arena is free.
      #expect(arenas.reduce(0, +) >= 8 - 1, "\(arenas)")
      #expect(arenas.count < 9 || arenas.contains(0), "\(arenas)")
    }
  }

  @Test(.enabled(if: CompiledProgram.isPossible, Comment(rawValue: CompiledProgram.absence)))
  func largeBlocksAreToldFromOtherMemoryAndFromZeroedVariables() throws {
    try withSubject { process, path in
      let map = try MemoryMap.read(process)
      let blocks = map.regions.filter { if case .largeBlocks = $0.use { true } else { false } }
      #expect(blocks.reduce(0) { $0 + $1.region.size } >= 5 << 20 && blocks.allSatisfy { $0.kind == .malloc })
      #expect(map.regions.contains { $0.kind == .anonymous && $0.region.usage.resident >= 196_608 })
      let zeroed = map.regions.filter { if case .zeroed(let image) = $0.use { image.hasSuffix("/subject") } else { false } }
      #expect(zeroed.contains { $0.kind == .data && $0.region.usage.resident >= (1 << 20) - 4096 })
    }
  }

  @Test(.enabled(if: CompiledProgram.isPossible, Comment(rawValue: CompiledProgram.absence)))
  func theSumsOfAStoppedProcessAreTheKernels() throws {
    try withSubject { process, path in
      try whileStopped(process) {
        let map = try MemoryMap.read(process)
        let kernel = try #require(ProcessFiles(process: process).text("smaps_rollup").map { MapText($0) }?.regions.first?.usage)
        let total = map.total.usage
        #expect(total.resident > 6 << 20 && total.dirty > 6 << 20)
        #expect(total.resident == kernel.resident && total.dirty == kernel.dirty && total.swapped == kernel.swapped)
        #expect(map.sums.reduce(0) { $0 + $1.totals.usage.resident } == kernel.resident)
        #expect(map.sums.reduce(0) { $0 + $1.totals.regions } == map.regions.count)
      }
    }
  }

  @Test func thisProcessCanBeRead() throws {
    let map = try MemoryMap.read(getpid())
    #expect(map.process == getpid() && map.total.usage.resident > 0)
    #expect(map.regions.contains { $0.kind == .text } && map.regions.contains { $0.kind == .stack })
  }

  @Test func aProcessThatIsNoneIsAbsent() throws {
    #expect(throws: MapFailure.absent(0)) { try MemoryMap.read(0) }
    #expect(throws: MapFailure.absent(-1)) { try MemoryMap.read(-1) }
    // Above the largest number that the kernel gives (4194304).
    #expect(throws: MapFailure.absent(.max)) { try MemoryMap.read(.max) }
  }

  @Test func aProcessThatHasEndedHasNoMemory() throws {
    var process: pid_t = 0
    var words = [strdup("/bin/true"), nil]
    defer { free(words[0]) }
    try #require(posix_spawn(&process, "/bin/true", nil, nil, &words, environ) == 0)
    var facts = siginfo_t()
    while waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    #expect(throws: MapFailure.ended(process)) { try MemoryMap.read(process) }
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
    #expect(throws: MapFailure.absent(process)) { try MemoryMap.read(process) }
  }

  @Test(.enabled(if: ProcessFiles(process: 2).state?.isKernelThread == true, "no thread of the kernel is visible here"))
  func aThreadOfTheKernelHasNoMemory() {
    #expect(throws: MapFailure.kernelThread(2, name: "kthreadd")) { try MemoryMap.read(2) }
  }
}
