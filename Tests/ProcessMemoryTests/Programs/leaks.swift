import Dispatch
import Foundation

// A program that leaks in the way that its first argument names, or doesn't. What a way leaks is made and given up in functions that
// aren't inlined: no reference may stay in a register or on the stack of `main`.

// MARK: Types

protocol Listener: AnyObject {}

final class Session {
  var delegate: Controller?
  var title = "a session"
}

final class Controller {
  var number = 1
  var session: Session?
}

final class Owner {
  var action: (() -> Void)?
  var actions: [() -> Void] = []
  var count = 0
}

final class Station {
  var listeners: [any Listener] = []
}

final class Receiver: Listener {
  var station: Station?
}

indirect enum Chain {
  case end
  case link(Link, Chain)
}

final class Link {
  var chain = Chain.end
}

enum Reference {
  case none
  case one(EnumNode)
  case other(Link)
}

final class EnumNode {
  var reference = Reference.none
}

final class Box<Value> {
  var value: Value?
  var other: Box<Value>?
}

final class Outer {
  struct Inner {
    var number = 0
    var outer: Outer?
  }
  var inner = Inner()
}

class Animal {
  var name = "animal"
  var friend: Animal?
}

final class Dog: Animal {
  var bone: Bone?
}

final class Bone {
  var dog: Dog?
}

final class Parent {
  var child: Child?
}

final class Child {
  weak var parent: Parent?
  unowned var sibling: Parent
  init(_ parent: Parent) {
    self.parent = parent
    sibling = parent
  }
}

actor Keeper {
  var work: (@Sendable () async -> Void)?
  var payload = [1, 2, 3]
  func keep() { work = { await self.touch() } }
  func touch() { payload.append(4) }
}

final class Ticker: @unchecked Sendable {
  var timer: (any DispatchSourceTimer)?
  var ticks = 0
}

final class Observer: @unchecked Sendable {
  var token: (any NSObjectProtocol)?
  var seen = 0
}

final class Payload: @unchecked Sendable {
  var bytes = [UInt8](repeating: 7, count: 100)
}

struct Failure: Error, @unchecked Sendable {
  var owner: FailureOwner
}

final class FailureOwner {
  var failure: (any Error)?
}

final class Registry {
  var entries: [String: Entry] = [:]
}

final class Entry {
  var registry: Registry?
}

final class LazyOwner {
  var count = 1
  lazy var text: () -> String = { "count \(self.count)" }
}

// MARK: Leaks

@inline(never) @_optimize(none) func delegateCycle() {
  let (session, controller) = (Session(), Controller())
  session.delegate = controller
  controller.session = session
}

@inline(never) @_optimize(none) func closureCycle() {
  let owner = Owner()
  owner.action = { owner.count += 1 }
}

@inline(never) @_optimize(none) func closureArrayCycle() {
  let owner = Owner()
  for step in 1...3 { owner.actions.append { owner.count += step } }
}

@inline(never) @_optimize(none) func existentialCycle() {
  let (station, receiver) = (Station(), Receiver())
  station.listeners.append(receiver)
  receiver.station = station
}

@inline(never) @_optimize(none) func indirectEnumCycle() {
  let link = Link()
  link.chain = .link(link, .end)
}

@inline(never) @_optimize(none) func enumCycle() {
  let (first, second) = (EnumNode(), EnumNode())
  first.reference = .one(second)
  second.reference = .one(first)
}

@inline(never) @_optimize(none) func genericCycle() {
  let (first, second) = (Box<[String: Int]>(), Box<[String: Int]>())
  first.value = ["a": 1]
  first.other = second
  second.other = first
}

@inline(never) @_optimize(none) func structCycle() {
  let outer = Outer()
  outer.inner.outer = outer
}

@inline(never) @_optimize(none) func subclassCycle() {
  let (dog, bone) = (Dog(), Bone())
  dog.bone = bone
  bone.dog = dog
}

@inline(never) @_optimize(none) func weakCycle() {
  // The parent is retained once too often; the child refers to it by weak and unowned references.
  let parent = Parent()
  parent.child = Child(parent)
  _ = Unmanaged.passRetained(parent)
}

@inline(never) @_optimize(none) func actorCycle() async {
  let keeper = Keeper()
  await keeper.keep()
}

@inline(never) @_optimize(none) func timerCycle() {
  let ticker = Ticker()
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler { ticker.ticks += 1 }
  ticker.timer = timer
  // It is never activated: the system doesn't know it yet.
}

@inline(never) @_optimize(none) func observerLeak() {
  let observer = Observer()
  let center = NotificationCenter()
  observer.token = center.addObserver(forName: .init("x"), object: nil, queue: nil) { _ in observer.seen += 1 }
  _ = Unmanaged.passRetained(center)
}

@inline(never) @_optimize(none) func continuationLeak() {
  let payload = Payload()
  let thread = ThreadOfOneJob()
  Task.detached(executorPreference: thread) {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in finished.signal() }
    payload.bytes.append(1)
  }
  finished.wait()
  thread.join()
}

/// Runs one job on a thread that ends with it: nothing of a task is left in registers or on a stack.
final class ThreadOfOneJob: TaskExecutor, @unchecked Sendable {
  // @unchecked: the thread is set before its job says that it has begun.
  private var thread = pthread_t()
  private var job: UnownedJob?

  func enqueue(_ job: consuming ExecutorJob) {
    self.job = UnownedJob(job)
    let executor = Unmanaged.passRetained(self).toOpaque()
    pthread_create(&thread, nil, runOneJob, executor)
  }

  fileprivate func run() { job.take()?.runSynchronously(on: asUnownedTaskExecutor()) }

  func join() { pthread_join(thread, nil) }
}

private func runOneJob(_ executor: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let executor { Unmanaged<ThreadOfOneJob>.fromOpaque(executor).takeRetainedValue().run() }
  return nil
}

@inline(never) @_optimize(none) func unmanagedLeak() {
  _ = Unmanaged.passRetained(Payload())
}

@inline(never) @_optimize(none) func mallocLeak() {
  // So far down the stack that `clearStack` overwrites the pointer, whatever the frames between are like.
  withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 16) { space in
    space[0] = 1
    leakBlock()
  }
}

@inline(never) @_optimize(none) func leakBlock() {
  if let memory = malloc(1234) { memset(memory, 0x55, 1234) }
}

@inline(never) @_optimize(none) func errorCycle() {
  let owner = FailureOwner()
  owner.failure = Failure(owner: owner)
}

@inline(never) @_optimize(none) func dictionaryCycle() {
  let (registry, entry) = (Registry(), Entry())
  registry.entries["first"] = entry
  entry.registry = registry
}

@inline(never) @_optimize(none) func lazyCycle() {
  let owner = LazyOwner()
  _ = owner.text()
}

@inline(never) @_optimize(none) func threadLeak() {
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { _ in
      delegateCycle(); return nil
    }, nil)
  if code == 0 { pthread_join(thread, nil) }
}

@inline(never) @_optimize(none) func boxLeak() {
  var value = Payload()
  let change = { value = Payload() }
  let owner = Owner()
  owner.action = {
    change()
    owner.count = value.bytes.count
  }
}

@inline(never) @_optimize(none) func manyLeaks() {
  for _ in 0..<100 { delegateCycle() }
}

// MARK: No leaks

let finished = DispatchSemaphore(value: 0)
nonisolated(unsafe) var kept: [AnyObject] = []
nonisolated(unsafe) var keptByClosure: (() -> Int)?

@inline(never) @_optimize(none) func keepGlobally() {
  let (session, controller) = (Session(), Controller())
  session.delegate = controller
  controller.session = session
  kept.append(session)
  let owner = Owner()
  keptByClosure = { owner.count }
}

@inline(never) @_optimize(none) func useFoundation() throws {
  let formatter = DateFormatter()
  formatter.dateFormat = "yyyy-MM-dd"
  let text = formatter.string(from: Date(timeIntervalSince1970: 0))
  let data = try JSONEncoder().encode(["date": text])
  let back = try JSONDecoder().decode([String: String].self, from: data)
  let expression = try NSRegularExpression(pattern: "[0-9]+")
  let count = expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
  print(back.count, count, URL(string: "https://example.com/a?b=c")?.host ?? "-")
}

@inline(never) @_optimize(none) func useThreads() {
  let done = DispatchSemaphore(value: 0)
  for number in 0..<8 {
    let thread = Thread {
      var nodes: [Box<Int>] = []
      for _ in 0..<(1000 + number) { nodes.append(Box<Int>()) }
      done.signal()
    }
    thread.start()
  }
  for _ in 0..<8 { done.wait() }
}

@inline(never) @_optimize(none) func useDispatch() {
  let queue = DispatchQueue(label: "clean", attributes: .concurrent)
  let group = DispatchGroup()
  for number in 0..<100 {
    queue.async(group: group) { _ = (0..<number).map { String($0) } }
  }
  group.wait()
  DispatchQueue.concurrentPerform(iterations: 50) { _ = [Int](repeating: $0, count: 10) }
  let item = DispatchWorkItem { _ = Payload() }
  queue.async(execute: item)
  item.wait()
}

@inline(never) @_optimize(none) func useTasks() async {
  let sum = await withTaskGroup(of: Int.self) { group in
    for number in 0..<50 { group.addTask { number } }
    return await group.reduce(0, +)
  }
  let keeper = Keeper()
  await keeper.touch()
  let value = await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume(returning: sum) } }
  let (numbers, source) = AsyncStream.makeStream(of: Int.self)
  for number in 0..<5 { source.yield(number) }
  source.finish()
  var seen = 0
  for await number in numbers { seen += number }
  print(value, seen)
}

@inline(never) @_optimize(none) func useWeakReferences() {
  let parent = Parent()
  parent.child = Child(parent)
  for _ in 0..<100 {
    let one = Parent()
    one.child = Child(one)
  }
  kept.append(parent)
}

/// Threads that wait while the program ends, and hold objects on their stacks alone.
@inline(never) @_optimize(none) func leaveThreads() {
  let ready = DispatchSemaphore(value: 0)
  for _ in 0..<3 {
    Thread.detachNewThread {
      let payload = Payload()
      withExtendedLifetime(payload) {
        ready.signal()
        DispatchSemaphore(value: 0).wait()
      }
    }
  }
  for _ in 0..<3 { ready.wait() }
}

/// Threads that allocate and free while the program ends, and hold objects on their stacks alone.
@inline(never) @_optimize(none) func leaveBusyThreads() {
  let ready = DispatchSemaphore(value: 0)
  for _ in 0..<3 {
    Thread.detachNewThread {
      var payloads: [Payload] = []
      ready.signal()
      while true {
        for _ in 0..<1000 { payloads.append(Payload()) }
        payloads.removeAll()
      }
    }
  }
  for _ in 0..<3 { ready.wait() }
}

@inline(never) @_optimize(none) func stayAlive() {
  keepGlobally()
  print("ready")
  fflush(nil)
  _ = readLine()
}

/// Overwrites what earlier calls have left on the stack.
@inline(never) @_optimize(none) func clearStack(_ depth: Int) -> Int {
  withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { memory in
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return depth == 0 ? Int(memory[0]) : clearStack(depth - 1) + Int(memory[4095])
  }
}

@main enum Program {
  static func main() async throws {
    switch CommandLine.arguments.dropFirst().first ?? "" {
    case "delegate": delegateCycle()
    case "closure": closureCycle()
    case "closures": closureArrayCycle()
    case "existential": existentialCycle()
    case "indirect-enum": indirectEnumCycle()
    case "enum": enumCycle()
    case "generic": genericCycle()
    case "struct": structCycle()
    case "subclass": subclassCycle()
    case "weak": weakCycle()
    case "actor": await actorCycle()
    case "timer": timerCycle()
    case "observer": observerLeak()
    case "continuation": continuationLeak()
    case "unmanaged": unmanagedLeak()
    case "malloc": mallocLeak()
    case "error": errorCycle()
    case "dictionary": dictionaryCycle()
    case "lazy": lazyCycle()
    case "thread": threadLeak()
    case "box": boxLeak()
    case "many": manyLeaks()
    case "global": keepGlobally()
    case "foundation": try useFoundation()
    case "threads": useThreads()
    case "dispatch": useDispatch()
    case "tasks": await useTasks()
    case "weak-clean": useWeakReferences()
    case "waiting": leaveThreads()
    case "busy": leaveBusyThreads()
    case "alive": stayAlive()
    default: break
    }
    _ = clearStack(8)
  }
}
