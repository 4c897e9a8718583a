import ChildProcesses
import Foundation

/// A system bus of the test's own, on which python-dbusmock plays a service.
final class MockBus {
  private static let python = "/usr/bin/python3"

  enum Service {
    case upower(onBattery: Bool)
    /// With a device, whose NMMetered is this.
    case networkManager(interface: String, metered: Int)

    fileprivate var script: String {
      switch self {
      case .upower(let onBattery):
        """
        server, upower = dbusmock.DBusTestCase.spawn_server_template(
          'upower', {'OnBattery': \(onBattery ? "True" : "False")}, stdout=subprocess.DEVNULL)
        """
      case .networkManager(let interface, let metered):
        """
        from dbusmock.templates.networkmanager import DeviceState
        server, manager = dbusmock.DBusTestCase.spawn_server_template('networkmanager', {}, stdout=subprocess.DEVNULL)
        path = dbus.Interface(manager, dbusmock.MOCK_IFACE).AddEthernetDevice('device7', '\(interface)', DeviceState.ACTIVATED)
        device = dbus.SystemBus().get_object('org.freedesktop.NetworkManager', path)
        dbus.Interface(device, dbusmock.MOCK_IFACE).AddProperty(
          'org.freedesktop.NetworkManager.Device', 'Metered', dbus.UInt32(\(metered)))
        """
      }
    }
  }

  /// Whether bus and Python have what it needs.
  static let isInstalled: Bool = {
    let modules = "import dbus, dbusmock.templates.upower, dbusmock.templates.networkmanager"
    guard access("/usr/bin/dbus-daemon", X_OK) == 0, let child = try? ChildProcess(python, ["-c", modules], in: URL(filePath: "/"))
    else { return false }
    return child.wait() == 0
  }()

  /// libdbus looks for the system's bus there.
  static let variable = "DBUS_SYSTEM_BUS_ADDRESS"

  static func address(in folder: URL) -> String { "unix:path=\(folder.appending(path: "bus").path(percentEncoded: false))" }

  private var processes: [ChildProcess] = []

  /// Returns when the service answers.
  init(in folder: URL, _ service: Service) async throws {
    let path = folder.path(percentEncoded: false)
    let script = """
      import sys, subprocess, dbus, dbusmock, os
      \(service.script)
      open(os.path.join(sys.argv[1], 'bus-ready'), 'w').close()
      server.wait()
      """
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>system</type><listen>\(MockBus.address(in: folder))</listen><auth>EXTERNAL</auth>
      <pidfile>\(folder.appending(path: "bus-pid").path(percentEncoded: false))</pidfile>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/></policy></busconfig>
      """
    let file = folder.appending(path: "bus.conf")
    try Data(configuration.utf8).write(to: file)
    let bus = try FileArrival("bus-pid", in: folder)
    processes.append(
      try ChildProcess("dbus-daemon", ["--nofork", "--config-file=\(file.path(percentEncoded: false))"], in: folder))
    guard await bus.wait() else { throw CocoaError(.executableLoad) }
    let ready = try FileArrival("bus-ready", in: folder)
    processes.append(
      try ChildProcess(
        MockBus.python, ["-c", script, path], in: folder,
        environment: [MockBus.variable: MockBus.address(in: folder)]))
    guard await ready.wait() else { throw CocoaError(.executableLoad) }
  }

  func stop() {
    for process in processes.reversed() { process.stop() }
    processes = []
  }
}
