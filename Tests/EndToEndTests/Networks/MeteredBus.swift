import ChildProcesses
import Foundation

/// A D-Bus of the test's own, on which python-dbusmock plays NetworkManager.
final class MeteredBus {
  /// libdbus looks for the system's bus there.
  static let variable = "DBUS_SYSTEM_BUS_ADDRESS"
  private static let python = "/usr/bin/python3"

  private static let script = """
    import sys, subprocess, dbus, dbusmock, os
    from dbusmock.templates.networkmanager import DeviceState
    interface, folder = sys.argv[1:]
    server, manager = dbusmock.DBusTestCase.spawn_server_template('networkmanager', {}, stdout=subprocess.DEVNULL)
    mock = dbus.Interface(manager, dbusmock.MOCK_IFACE)
    path = mock.AddEthernetDevice('device7', interface, DeviceState.ACTIVATED)
    device = dbus.SystemBus().get_object('org.freedesktop.NetworkManager', path)
    name = 'org.freedesktop.NetworkManager.Device'
    dbus.Interface(device, dbusmock.MOCK_IFACE).AddProperty(name, 'Metered', dbus.UInt32(0))
    open(os.path.join(folder, 'ready'), 'w').close()
    while True:
      with open(os.path.join(folder, 'say')) as pipe: value = pipe.readline()
      device.Set(name, 'Metered', dbus.UInt32(int(value)), dbus_interface=dbus.PROPERTIES_IFACE)
      with open(os.path.join(folder, 'said'), 'w') as pipe: pipe.write('done')
    """

  /// Whether bus, library and Python have what it needs.
  static let isInstalled: Bool = {
    guard InstalledServer.find("dbus-daemon") != nil,
      let child = try? ChildProcess(python, ["-c", "import dbus, dbusmock.templates.networkmanager"], in: URL(filePath: "/"))
    else { return false }
    return child.wait() == 0
  }()

  /// The one that this process was told of.
  static var here: MeteredBus? {
    guard let address = ProcessInfo.processInfo.environment[variable] else { return nil }
    let folder = URL(filePath: address.replacing("unix:path=", with: "")).deletingLastPathComponent()
    return MeteredBus(folder)
  }

  /// The address of the bus in `folder`.
  static func address(in folder: URL) -> String { "unix:path=\(folder.appending(path: "bus").path(percentEncoded: false))" }

  private let folder: URL
  private var processes: [ChildProcess] = []

  private init(_ folder: URL) { self.folder = folder }

  /// Returns when NetworkManager knows the interface.
  func start(interface: String) async throws {
    for pipe in ["say", "said"] where mkfifo(folder.appending(path: pipe).path(percentEncoded: false), 0o600) != 0 {
      throw CocoaError(.fileWriteUnknown)
    }
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>system</type><listen>\(MeteredBus.address(in: folder))</listen><auth>EXTERNAL</auth>
      <pidfile>\(folder.appending(path: "pid").path(percentEncoded: false))</pidfile>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/></policy></busconfig>
      """
    let file = folder.appending(path: "bus.conf")
    try Data(configuration.utf8).write(to: file)
    let bus = try FileArrival("pid", in: folder)
    processes.append(
      try ChildProcess("dbus-daemon", ["--nofork", "--config-file=\(file.path(percentEncoded: false))"], in: folder))
    guard await bus.wait() else { throw CocoaError(.executableLoad) }
    let ready = try FileArrival("ready", in: folder)
    processes.append(
      try ChildProcess(MeteredBus.python, ["-c", MeteredBus.script, interface, folder.path(percentEncoded: false)], in: folder))
    guard await ready.wait() else { throw CocoaError(.executableLoad) }
  }

  /// Makes this the device's NMMetered.
  func say(_ value: Int) throws {
    let question = try FileHandle(forWritingTo: folder.appending(path: "say"))
    try question.write(contentsOf: Data("\(value)\n".utf8))
    try question.close()
    _ = try FileHandle(forReadingFrom: folder.appending(path: "said")).readToEnd()
  }

  func stop() {
    for process in processes.reversed() { process.stop() }
    processes = []
  }
}
